import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The colors of the built-in pages. The build copies them next to the compiled code. */
const TOKENS = ['static', '../../web/kit']
  .map((folder) => join(import.meta.dirname, folder, 'tokens.css'))
  .find((path) => existsSync(path));

/** The style of pages for developers. */
export const STYLE = `${TOKENS ? readFileSync(TOKENS, 'utf8') : ''}
*, ::before, ::after { box-sizing: border-box }
html { font: 100%/1.5 var(--font); background: var(--back); color: var(--ink) }
body { max-width: 76rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: anywhere }
h1, h2, p { margin: 0 }
header { margin-bottom: 1.25rem }
ul { margin: 0 }
h1 { font-size: 1.5rem; line-height: 1.25 }
h2 { font-size: 1rem; line-height: 1.4 }
a { color: var(--accent-text) }
:focus-visible { outline: solid 3px var(--accent-text); outline-offset: 2px }
header, .bar { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.75rem }
form { display: flex; flex-wrap: wrap; align-items: end; gap: 0.5rem; margin: 0 0 1.25rem }
label { max-width: 100%; display: flex; flex-direction: column; gap: 0.25rem; font-size: 0.875rem; font-weight: 560 }
input { width: 20rem; max-width: 100% }
input, button, .button { min-height: 2.5rem; padding: 0.4rem 0.75rem; border: solid 1px var(--line-strong); border-radius: var(--radius-small);
  background: var(--surface); color: var(--ink); font: 400 1rem/1.5 var(--font) }
button, .button { display: inline-flex; align-items: center; font-weight: 600; text-decoration: none; cursor: pointer }
.quiet { color: var(--ink-quiet); font-size: 0.875rem }
.card { border: solid 1px var(--line); border-radius: var(--radius); background: var(--surface) }
.empty { padding: 2.5rem 1rem; text-align: center }
article { margin-top: 0.75rem }
summary { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.15rem 1rem; padding: 0.75rem 1rem; cursor: pointer;
  border-radius: var(--radius) }
.parts { display: grid; gap: 1rem; padding: 0 1rem 1rem }
@media (min-width: 60rem) { .parts.both { grid-template-columns: 1fr 1fr } }
.parts section { min-width: 0 }
.parts h2 { margin: 0 0 0.35rem; font-size: 0.8125rem; color: var(--ink-quiet) }
iframe { display: block; width: 100%; height: 27rem; resize: vertical; border: solid 1px var(--line); border-radius: var(--radius-small) }
pre { margin: 0; padding: 1rem; max-height: 27rem; overflow: auto; border-radius: var(--radius-small); background: var(--sunken);
  white-space: pre-wrap; font: 0.875rem/1.5 var(--mono) }
ul.kinds { padding: 0; list-style: none }
ul.kinds li { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; padding: 0.5rem 1rem; border-top: solid 1px var(--line) }
ul.kinds li:first-child { border-top: 0 }
ul.kinds .kind { flex: 1 1 16rem; font-weight: 560 }
`;

/** The source of an inline style or script in a content security policy. */
export const sourceOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** A page for developers. @param content a rendered template */
export const devPage = (title: string, content: string, script = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
${content}
${script && `<script>${script}</script>`}
</body>
</html>
`;
