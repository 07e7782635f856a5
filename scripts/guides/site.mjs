/** Renders the site of guides as static files, which the service serves at `/guides`. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { Marked } from 'marked';
import { rolldown } from 'rolldown';
import { FENCE, slug } from './links.mjs';
import { createIndex } from './search.mjs';
import { sectionsOf, WITHOUT_ENTRY } from './sections.mjs';

const root = join(import.meta.dirname, '../..');
const CLIENT = join(import.meta.dirname, 'client');

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const withoutExtension = (path) => path.replace(/\.md$/, '');

/** The address of a link on a page. Pages are served without their extension. */
function addressOf(page, href) {
  if (/^[a-z][a-z+.-]*:|^#/i.test(href)) return href;
  const [path, anchor] = href.split('#', 2);
  const target = path.startsWith('/') ? path : `/${posix.join(posix.dirname(page), path)}`;
  return `/guides${withoutExtension(target)}${anchor === undefined ? '' : `#${anchor}`}`;
}

const EDGE = /^ *(\w+) -->(?:\|(\w+)\|)? *(\w+)$/gm;

/** A drawing of the modules as a table, because a graph with a hundred arrows cannot be read. */
function matrixOf(mermaid) {
  const edges = [...mermaid.matchAll(EDGE)].map(([, from, count = '1', to]) => ({ from, count, to }));
  const rows = [...new Set(edges.map(({ from }) => from))];
  const columns = [...new Set(edges.map(({ to }) => to))];
  const cell = (from, to) => edges.find((edge) => edge.from === from && edge.to === to)?.count ?? '';
  const head = ['', ...columns].map((name) => `<th scope="col">${escaped(name)}</th>`).join('');
  const body = rows.map((from) => {
    const cells = columns.map((to) => `<td>${cell(from, to)}</td>`).join('');
    return `<tr><th scope="row">${escaped(from)}</th>${cells}</tr>`;
  });
  return `<div class="table" tabindex="0" role="group" aria-label="Imports between modules"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

/** Converts a page to HTML. @returns the HTML, the title, and the headings with their anchors */
function rendered(page, text) {
  const headings = [];
  const times = new Map();
  const anchor = (raw) => {
    const name = slug(raw);
    const seen = times.get(name) ?? 0;
    times.set(name, seen + 1);
    return seen === 0 ? name : `${name}-${seen}`;
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: raw }) {
        const id = anchor(raw);
        const html = this.parser.parseInline(tokens);
        headings.push({ id, depth, text: raw.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '') });
        return depth === 1
          ? `<h1 id="${id}">${html}</h1>`
          : `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>`;
      },
      code({ text: code, lang = '' }) {
        const language = lang.split(' ')[0];
        if (language === 'mermaid') return matrixOf(code);
        const label = language === 'text' ? 'Output' : `Code ${language ?? ''}`.trim();
        return `<div class="code${language === 'text' ? ' output' : ''}"><pre tabindex="0" role="group" aria-label="${escaped(label)}"><code>${escaped(code)}\n</code></pre></div>`;
      },
      link({ href, tokens }) {
        return `<a href="${escaped(addressOf(page, href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text: alt }) {
        return `<img src="${escaped(addressOf(page, href))}" alt="${escaped(alt)}" loading="lazy">`;
      },
      table(token) {
        const row = (cells, tag) =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('');
        const table = `<table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table>`;
        return `<div class="table" tabindex="0" role="group" aria-label="Table">${table}</div>`;
      },
      html({ text: html }) {
        return html.startsWith('<!--') ? '' : html;
      },
    },
  });
  const html = marked.parse(text);
  return { html, headings, title: headings[0]?.text ?? page };
}

/** The text of a page in sections, without markup, for the index of the search. */
function searchableSections(path, text, title) {
  const keywords = /<!-- keywords: ([^>]+) -->/.exec(text)?.[1] ?? '';
  // A comment of a shell command is not a heading.
  const code = (block) => block.replace(/^#/gm, ' #');
  const plain = text
    .replace(FENCE, code)
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const times = new Map();
  return plain.split(/^(?=#{1,3} )/m).flatMap((part, index) => {
    const heading = /^#{1,3} (.+)$/m.exec(part)?.[1]?.replace(/[`*]/g, '');
    if (!heading) return [];
    const name = slug(heading);
    const seen = times.get(name) ?? 0;
    times.set(name, seen + 1);
    const anchor = seen === 0 ? name : `${name}-${seen}`;
    const body = part.slice(part.indexOf('\n') + 1).replace(/[`*|>#-]+/g, ' ');
    if (index === 0 || part.startsWith('# ')) return [{ id: path, title, heading: '', keywords, text: body }];
    return [{ id: `${path}#${anchor}`, title, heading, keywords: '', text: body }];
  });
}

const titled = (pages) => (path) => ({ path, title: pages.get(path).title });
const linkTo = ({ path, title }, attributes = '') => `<a href="/guides/${path}"${attributes}>${escaped(title)}</a>`;

function sidebar(sections, current) {
  return sections
    .map(({ title, pages }) => {
      const items = pages.map(
        (page) => `<li>${linkTo(page, page.path === current ? ' aria-current="page"' : '')}</li>`,
      );
      return `<h2>${escaped(title)}</h2><ul>${items.join('')}</ul>`;
    })
    .join('');
}

function outline(headings) {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ id, depth, text }) => `<li${depth === 3 ? ' class="deep"' : ''}><a href="#${id}">${escaped(text)}</a></li>`,
  );
  return `<nav class="outline" aria-labelledby="outline"><h2 id="outline">On this page</h2><ul>${items.join('')}</ul></nav>`;
}

function neighbors(order, current) {
  const at = order.findIndex(({ path }) => path === current);
  const [before, after] = [order[at - 1], order[at + 1]];
  const links = [before && `<span>Previous: ${linkTo(before)}</span>`, after && `<span>Next: ${linkTo(after)}</span>`];
  return `<nav class="neighbors" aria-label="Previous and next page">${links.filter(Boolean).join('')}</nav>`;
}

function documentOf({ path, page, sections, order, assets }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)} · Gatehouse guides</title>
<link rel="stylesheet" href="/guides/${assets.style}">
<script type="module" src="/guides/${assets.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="/guides/start">Gatehouse guides</a>
<div class="finder" role="search">
<input id="search" type="search" role="combobox" aria-label="Search" placeholder="Search (press /)" autocomplete="off" spellcheck="false" aria-controls="results" aria-expanded="false" aria-autocomplete="list">
<ul id="results" role="listbox" aria-label="Results" hidden></ul>
<span id="search-status" class="hidden" role="status"></span>
</div>
<nav aria-label="Main"><a class="menu" href="#pages">All pages</a><a href="/docs">API reference</a></nav>
</header>
<div class="layout">
<nav id="pages" class="pages" aria-label="Pages">${sidebar(sections, path)}</nav>
<main id="content" tabindex="-1">
${page.html}
${neighbors(order, path)}
</main>
${outline(page.headings)}
</div>
</body>
</html>
`;
}

async function bundledClient() {
  const bundle = await rolldown({ input: join(CLIENT, 'guides.js'), logLevel: 'warn' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output[0].code;
}

/**
 * Writes the site.
 * @param pages Markdown by path, as `assemble` returns it
 * @param files project files that pages link to, by their path below `files/`
 * @param drawings SVG by name
 * @param folder of the site. Everything in it is replaced
 * @returns the number of pages
 */
export async function writeSite({ pages: sources, files, drawings, folder }) {
  rmSync(folder, { recursive: true, force: true });
  const write = (path, content) => {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  };
  const asset = (name, extension, content) => {
    const digest = createHash('sha256').update(content).digest('base64url').slice(0, 10);
    const path = `assets/${name}-${digest}.${extension}`;
    write(path, content);
    return path;
  };
  const assets = {
    style: asset('style', 'css', readFileSync(join(CLIENT, 'style.css'))),
    script: asset('guides', 'js', await bundledClient()),
  };
  const pages = new Map([...sources].map(([path, text]) => [withoutExtension(path), rendered(path, text)]));
  const sections = sectionsOf([...pages.keys()]).map(({ title, pages: list }) => ({
    title,
    pages: list.map(titled(pages)),
  }));
  const order = sections.flatMap(({ pages: list }) => list);
  for (const [path, page] of pages) write(`${path}.html`, documentOf({ path, page, sections, order, assets }));
  for (const [copy, path] of files) write(`files/${copy}`, readFileSync(join(root, path)));
  for (const [name, svg] of Object.entries(drawings)) write(name, svg);
  write('search.json', JSON.stringify(indexOf(sources)));
  return pages.size;
}

/** The index of the search. @param sources Markdown by path */
export function indexOf(sources) {
  const sections = [...sources].flatMap(([path, text]) => {
    const page = withoutExtension(path);
    if (WITHOUT_ENTRY.includes(page)) return [];
    return searchableSections(page, text, /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? page);
  });
  return createIndex(sections);
}
