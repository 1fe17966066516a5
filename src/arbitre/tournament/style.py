"""How a report looks: the house's colours by token, light and dark, on screen and on paper. System fonts, nothing to download."""

LIGHT = {
    "paper": "#fbfaf7",
    "ink": "#1d2329",
    "quiet": "#5b6269",
    "line": "#d8d4ca",
    "felt": "#1f6f6b",
    "referee": "#8a5d00",
    "good": "#1a7431",
    "bad": "#b42318",
}
DARK = {
    "paper": "#14181b",
    "ink": "#e7e5df",
    "quiet": "#a3a9ae",
    "line": "#343b41",
    "felt": "#6cc4bd",
    "referee": "#e3b341",
    "good": "#56d364",
    "bad": "#ff8f86",
}


def _tokens(colours: dict[str, str]) -> str:
    return ":root{" + "".join(f"--{name}:{colour};" for name, colour in colours.items()) + "}"


STYLE = (
    _tokens(LIGHT)
    + "@media (prefers-color-scheme:dark){"
    + _tokens(DARK)
    + "}"
    + """
*{box-sizing:border-box}
html{color-scheme:light dark}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:62rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 1rem;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:0 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}
h3{font-size:.95rem;margin:.2rem 0;color:var(--quiet);font-weight:600}
section{margin:2rem 0;break-inside:avoid}
dl{display:flex;flex-wrap:wrap;gap:.4rem 2rem;margin:0}
dt{font-size:.8rem;color:var(--quiet)} dd{margin:0;overflow-wrap:anywhere}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th{font-weight:600;color:var(--quiet);text-align:right;padding:.25rem .4rem;border-bottom:1px solid var(--line);
white-space:nowrap}
td{text-align:right;padding:.25rem .4rem;border-bottom:1px solid var(--line);white-space:nowrap}
td:nth-child(2),th:nth-child(2){text-align:left;max-width:18rem;overflow:hidden;text-overflow:ellipsis}
.standings tr:first-child td{border-left:0} .standings tbody tr:first-child td:nth-child(2){color:var(--felt);font-weight:600}
.cross td:nth-child(n+3),.cross th:nth-child(n+3){text-align:center} .cross small{color:var(--quiet)}
.games td,.games th{text-align:left} .games td:last-child{white-space:normal}
.good{color:var(--good);font-weight:600} .bad{color:var(--bad)} .even{color:var(--ink)}
.self,.none{color:var(--line);font-style:normal}
.note{color:var(--quiet);font-size:.88rem;margin:.4rem 0 0}
.referee{border-left:4px solid var(--referee);padding:.1rem 0 .1rem .7rem;margin:.4rem 0;overflow-wrap:anywhere}
.referee b{font-variant:small-caps;color:var(--referee);margin-right:.4rem}
.bracket{display:flex;flex-wrap:wrap;gap:1rem 2rem} .bracket ul{margin:0;padding:0;list-style:none}
summary{cursor:pointer;color:var(--felt)}
svg{display:block;width:100%;height:auto;min-width:34rem;max-width:48rem}
svg text{fill:var(--ink);font:13px system-ui,sans-serif;font-variant-numeric:tabular-nums}
svg .tick{fill:var(--quiet);font-size:12px}
svg .grid{stroke:var(--line);stroke-width:1} svg .axis{stroke:var(--quiet);stroke-width:1}
svg .bar{stroke:var(--felt);stroke-width:2} svg .dot,svg .fill{fill:var(--felt)}
svg polyline{fill:none;stroke-width:1.5;stroke:var(--quiet);stroke-opacity:.55}
svg polyline.lead{stroke:var(--felt);stroke-width:2.5;stroke-opacity:1} svg .lead-name{fill:var(--felt);font-weight:600}
@media print{"""
    + _tokens(LIGHT | {"paper": "#ffffff"})
    + "body{font-size:11px} main{max-width:none;padding:0} table{font-size:9px} .wide{overflow:visible}}"
)
