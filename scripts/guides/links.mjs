/** Markdown links and anchors, in the form that both GitHub and the site of guides understand. */
import { posix } from 'node:path';

/** Fenced code blocks. */
export const FENCE = /^(`{3,})[^\n]*\n[\s\S]*?^\1`*$/gm;
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;

/** The anchor of a heading, as GitHub generates it. */
export const slug = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

const withoutFences = (text) => text.replace(FENCE, '');

/** Every anchor of a page. Repeated headings get a number. */
export function anchorsOf(text) {
  const seen = new Map();
  return new Set(
    [...withoutFences(text).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading]) => {
      const name = slug(heading);
      const times = seen.get(name) ?? 0;
      seen.set(name, times + 1);
      return times === 0 ? name : `${name}-${times}`;
    }),
  );
}

/** Changes the targets of all links outside of code. If `change` returns `null`, only the text of the link remains. */
export function mapLinks(text, change) {
  const code = [];
  const hide = (piece) => `\uE000${code.push(piece) - 1}\uE000`;
  const bare = text.replace(FENCE, hide).replace(/`[^`\n]+`/g, hide);
  const mapped = bare.replace(LINK, (link, image, words, target) => {
    const changed = change(target, image === '!');
    return changed === null ? words : link.replace(`](${target})`, `](${changed})`);
  });
  const show = (hidden) => hidden.replace(/\uE000(\d+)\uE000/g, (_, index) => code[Number(index)]);
  return show(show(mapped));
}

const isForeign = (target) => /^[a-z][a-z+.-]*:/i.test(target);

/** The target of a link on a page: the path of a file from the root, and an anchor. */
export function resolve(page, target) {
  const [path, anchor] = target.split('#', 2);
  const base = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(page), path);
  return { path: path === '' ? page : posix.normalize(base), anchor };
}

/**
 * Finds broken links in pages.
 * @param pages their text by path
 * @param exists returns true if a path is another file that pages may link to
 */
export function faultsOf(pages, exists) {
  const anchors = new Map([...pages].map(([path, text]) => [path, anchorsOf(text)]));
  const faults = [];
  let links = 0;
  for (const [page, text] of pages) {
    mapLinks(text, (target) => {
      if (isForeign(target)) return target;
      links++;
      const { path, anchor } = resolve(page, target);
      if (!anchors.has(path) && !exists(path)) faults.push(`${page}: ${target} leads nowhere`);
      else if (anchor !== undefined && !anchors.get(path)?.has(anchor))
        faults.push(`${page}: ${target} has no such heading`);
      return target;
    });
  }
  return { faults, links };
}
