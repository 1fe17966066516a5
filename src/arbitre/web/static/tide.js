// The tide: who led by how much, move by move, as the game's own score has it. A game that counts nothing has none.

import { find } from "./elements.js";

const HEIGHT = 10;
const LEAST = 4; // a lead of one is no flood

export class Tide {
  /**
   * `own` is the seat below, whose lead is drawn upwards; `pick` is called with the scene that is clicked on.
   * @param {HTMLElement} box @param {number} own @param {(seat: number) => string} called @param {boolean} mine @param {(index: number) => void} pick
   */
  constructor(box, own, called, mine, pick) {
    this.box = box;
    this.own = own;
    this.called = called;
    this.mine = mine;
    /** @type {number[]} the lead in each scene */
    this.leads = [];
    const drawing = find("svg", SVGElement, box);
    drawing.addEventListener("click", (event) => {
      const { left, width } = drawing.getBoundingClientRect();
      pick(Math.round(((event.clientX - left) / width) * (this.leads.length - 1)));
    });
  }

  /** Draw the leads of all scenes, and mark the one that is shown. @param {{ scores?: number[], moment?: number }[]} scenes @param {number} at */
  show(scenes, at) {
    let last = 0;
    this.leads = scenes.map(({ scores }) => { if (scores) last = scores[this.own] - scores[1 - this.own]; return last; });
    this.box.hidden = scenes.length < 3 || !this.leads.some(Boolean); // nobody has led yet, or nothing is counted
    if (this.box.hidden) return;
    const most = Math.max(LEAST, ...this.leads.map(Math.abs));
    /** @param {number} index */
    const across = (index) => (100 * index) / (scenes.length - 1);
    /** @param {(lead: number) => number} kept */
    const area = (kept) => `M0 0${this.leads.map((lead, index) => `L${across(index).toFixed(2)} ${((-kept(lead) / most) * HEIGHT).toFixed(2)}`).join("")}L100 0Z`;
    find(".ours", SVGElement, this.box).setAttribute("d", area((lead) => Math.max(lead, 0)));
    find(".theirs", SVGElement, this.box).setAttribute("d", area((lead) => Math.min(lead, 0)));
    const turned = Number(this.box.dataset.turned ?? 0);
    const there = turned ? scenes.findLastIndex(({ moment = 0 }) => moment <= turned) : -1;
    if (there >= 0) find(".turned", SVGElement, this.box).setAttribute("d", `M${across(there).toFixed(2)} ${-HEIGHT}V${HEIGHT}`);
    find(".here", SVGElement, this.box).setAttribute("d", `M${across(at).toFixed(2)} ${-HEIGHT}V${HEIGHT}`);
    find("output", HTMLElement, this.box).textContent = this.#told(this.leads[at] ?? 0);
  }

  /** @param {number} lead */
  #told(lead) {
    const { even = "", leads = "", yours = "" } = this.box.dataset;
    const words = lead === 0 ? even : lead > 0 && this.mine ? yours : leads;
    return words.replace("{name}", this.called(lead > 0 ? this.own : 1 - this.own)).replace("{count}", String(Math.abs(lead)));
  }
}
