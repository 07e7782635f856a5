/**
 * `node scripts/manual.mjs` after a build with types: writes the manual of the package to `dist/manual`, with the
 * reference of its API. Fails if an export has no docstring.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { sources } from './build.mjs';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

const root = join(import.meta.dirname, '..');
const manual = join(root, 'dist', 'manual');
/** Files and folders of the manual. Pages for maintainers are not part of it. */
const PARTS = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'examples/notes'];
const OMITTED = /(?:^|\/)(?:node_modules|\.[^/]*|package-lock\.json)(?:\/|$)|^docs\/(?:assurance|maintaining|images)\//;

const files = PARTS.flatMap((part) => (/\.md$/.test(part) ? [join(root, part)] : [...sources(join(root, part))]))
  .map((path) => relative(root, path))
  .filter((path) => !OMITTED.test(path));
const known = new Set(files.flatMap((path) => [path, dirname(path)]));

/** Turns links to files that the manual does not contain into plain text, and omits such images. */
const localLinks = (path, markdown) =>
  markdown.replace(/(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)/g, (link, image, text, target) => {
    if (/^(?:[a-z]+:|\/)/.test(target) || known.has(join(dirname(path), target).replace(/\/$/, ''))) return link;
    return image ? '' : text;
  });

rmSync(manual, { recursive: true, force: true });
for (const path of files) {
  mkdirSync(join(manual, dirname(path)), { recursive: true });
  if (path.endsWith('.md')) writeFileSync(join(manual, path), localLinks(path, readFileSync(join(root, path), 'utf8')));
  else cpSync(join(root, path), join(manual, path));
}
if (!existsSync(join(root, 'dist/src/index.d.ts'))) throw new Error('Build the declarations first: npm run build');
const { apiReferenceOf } = await import('../dist/test/support/api-reference.js');
const { page, declarations } = apiReferenceOf(root, root);
writeFileSync(join(manual, 'api.md'), page);
for (const [path, text] of declarations) {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
