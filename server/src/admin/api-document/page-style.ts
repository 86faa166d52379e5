/** Inline, as the content security policy requires. The colours match the console. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --text: light-dark(#181b1d, #dadfe2); --dim: light-dark(#64686b, #9a9fa2);
  --line: light-dark(#e4e9eb, #2f3436); --head: light-dark(#f1f4f6, #222628); --page: light-dark(#fff, #161a1c);
  --link: light-dark(#0a5859, #90d2d2) }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 1000px; padding: 24px 16px 64px; background: var(--page); color: var(--text);
  font: 14px/20px system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif }
h1 { font-size: 20px; line-height: 28px; font-weight: 600; margin: 0 0 8px }
h2 { font-size: 16px; line-height: 24px; font-weight: 600; margin: 32px 0 8px }
h3 { font-size: 13px; line-height: 20px; font-weight: 600; margin: 16px 0 4px }
p { margin: 0 0 8px; max-width: 75ch }
.body > p { margin-top: 8px }
a { color: var(--link) }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 13px }
nav ul { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 0; padding: 0; list-style: none }
details { border-top: 1px solid var(--line) }
section > details:last-child { border-bottom: 1px solid var(--line) }
summary { display: grid; grid-template-columns: 56px minmax(0, 1fr) auto; gap: 0 12px; padding: 8px 4px; cursor: pointer;
  list-style: none }
summary::-webkit-details-marker { display: none }
summary:hover, details[open] > summary { background: var(--head) }
summary .path { overflow-wrap: anywhere }
.access::after { content: "▸"; display: inline-block; width: 20px; text-align: end }
details[open] > summary .access::after { content: "▾" }
summary .what { grid-column: 2 / -1; color: var(--dim) }
.access, .dim { color: var(--dim) }
.body { padding: 4px 4px 16px 72px }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top }
th { color: var(--dim); font-weight: 400 }
td { overflow-wrap: anywhere }
td:nth-child(-n + 2) { white-space: nowrap }
pre { margin: 0; padding: 8px 12px; overflow-x: auto; background: var(--head); border-radius: 4px }
@media (max-width: 600px) { .body { padding-left: 4px } summary { grid-template-columns: 52px minmax(0, 1fr) auto } }
`
