"""What a page owes to everybody, looked at in a real browser: names, landmarks, headings, references, contrast, a visible focus.

`tests.web.test_every_page.COMPLAINTS` asks every page for less: names, labels, one heading of the first kind, no id twice,
room for a finger. What is here is computed: contrast from the colours as they are painted, layer upon layer (WCAG 2.2, 1.4.3).
"""

from typing import Literal

THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

DEEPER = """() => {
  const found = [], all = (chosen) => [...document.querySelectorAll(chosen)];
  const shown = (one) =>
    one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && one.getClientRects().length > 0;
  const told = (one) => one.outerHTML.replace(/\\s+/g, " ").slice(0, 110);

  // landmarks: one main, and what there is more than one of has a name
  if (all("main").length !== 1) found.push(`${all("main").length} main parts`);
  const navs = all("nav").filter(shown).map((one) => one.getAttribute("aria-label") || "");
  if (navs.includes("") || new Set(navs).size !== navs.length) found.push(`navigation by the names ${navs.join(" | ")}`);
  for (const one of all("main section")) {
    const by = one.getAttribute("aria-label") || one.getAttribute("aria-labelledby");
    if (one.hasAttribute("role") && !by) found.push(`a region without a name: ${told(one)}`);
  }

  // headings: none is skipped on the way down
  let last = 0;
  for (const one of all("h1, h2, h3, h4, h5, h6").filter(shown)) {
    const level = Number(one.tagName[1]);
    if (level > last + 1) found.push(`a heading ${level} behind one of ${last}: ${told(one)}`);
    last = level;
  }

  // what is referred to is there; what can be pressed can be reached; roles have what they need
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "popovertarget", "form", "for"])
    for (const one of all(`[${name}]`))
      for (const id of one.getAttribute(name).split(/\\s+/))
        if (id && !document.getElementById(id)) found.push(`${name} leads to no ${id}: ${told(one)}`);
  for (const one of all("[role=button], [role=switch], [role=tab], [role=slider], [role=grid], [role=checkbox]"))
    if (one.tabIndex < 0 && one.getAttribute("aria-selected") !== "false" && !one.matches("[role=grid]:not(.asking)"))
      found.push(`cannot be reached: ${told(one)}`);
  for (const one of all("[role=tab]"))
    if (!one.closest("[role=tablist]") || !one.hasAttribute("aria-selected")) found.push(`a tab alone: ${told(one)}`);
  for (const one of all("[role=switch]:not([aria-checked])")) found.push(`a switch without a state: ${told(one)}`);
  for (const one of all("[role=img], [role=grid], [role=gridcell], [role=dialog], [role=toolbar], [role=tablist], fieldset"))
    if (!one.getAttribute("aria-label") && !one.getAttribute("aria-labelledby") && !one.querySelector("legend"))
      found.push(`no name: ${told(one)}`);
  for (const one of all("[aria-hidden=true] :is(a[href], button, input, select, textarea, [tabindex='0'])"))
    found.push(`hidden, and reached by keys: ${told(one)}`);
  for (const one of all(":is(ul, ol) > :not(li, template, script), dl > :not(dt, dd, div)"))
    found.push(`in a list: ${told(one)}`);
  if (!document.documentElement.lang) found.push("no language");

  // contrast: what is written against all that is painted behind it
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const seen = new Map();
  const rgba = (text) => {
    if (!seen.has(text)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      seen.set(text, [r, g, b, a / 255]);
    }
    return seen.get(text);
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const linear = (one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
  const light = (colour) => colour.slice(0, 3).map((one) => linear(one / 255))
    .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (one) => {
    const layers = [];
    for (let at = one; at; at = at.parentElement) {
      const { backgroundColor, backgroundImage } = getComputedStyle(at);
      if (backgroundImage !== "none") return null; // a picture has no one colour
      const colour = rgba(backgroundColor);
      if (colour[3]) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reduceRight((under, upper) => over(upper, under), [255, 255, 255, 1]);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const judged = new Set();
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    if (judged.has(one) || !texts.currentNode.textContent.trim() || !shown(one)) continue;
    judged.add(one);
    if (one.closest("svg, :disabled, [aria-disabled=true], noscript, script, style, template, .unseen, .skip, option"))
      continue;
    const { color, fontSize, fontWeight } = getComputedStyle(one);
    const ground = behind(one);
    if (!ground) continue;
    let opacity = 1;
    for (let at = one; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    const ink = rgba(color);
    const [a, b] = [light(over([ink[0], ink[1], ink[2], ink[3] * opacity], ground)), light(ground)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5) - 0.01) found.push(`contrast ${ratio.toFixed(2)}: ${told(one)}`);
  }
  return [...new Set(found)];
}"""
"""What is wrong with a page, or with the page in a frame."""

RINGS = """() => {
  const found = [];
  const seen = (one) => {
    for (let at = one; at && at !== document.body; at = at.parentElement) {
      const look = getComputedStyle(at);
      if (look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2) return true;
    }
    return false;
  };
  const chosen = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
  for (const one of document.querySelectorAll(chosen)) {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.disabled || one.tabIndex < 0) continue;
    one.focus({ preventScroll: true, focusVisible: true });
    if (document.activeElement === one && !seen(one)) found.push(`its focus is not seen: ${one.outerHTML.slice(0, 110)}`);
  }
  document.activeElement?.blur();
  return found;
}"""
"""Which of the things that take the focus do not show it."""
