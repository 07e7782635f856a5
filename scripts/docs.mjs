/**
 * Builds the site of guides into `dist/guides`, which the service serves at `/guides`. It contains the guides, the
 * manual and the contract from `docs/`, and a reference that is generated from the code. `--check` only checks the
 * links.
 */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, compress, sources as filesBelow } from './build.mjs';
import { assemble, isFile, sources } from './guides/assemble.mjs';
import { readFacts } from './guides/facts.mjs';
import { faultsOf } from './guides/links.mjs';
import { orderDrawing, referencePages } from './guides/reference.mjs';
import { answerHelp } from './help.mjs';
import { importFrom } from './packages.mjs';

answerHelp(import.meta.filename);

const root = join(import.meta.dirname, '..');
const place = join(root, 'dist', 'guides-pages');
const built = join(root, 'dist', 'guides');
const GENERATOR = 'docs/guides/.vitepress';
const DRAWING = 'order.svg';

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Checks the links of the sources as a code host shows them, and those of the site, which also has generated pages. */
function check(generated) {
  const { pages, files } = assemble(generated);
  const inSources = faultsOf(sources(), isFile);
  const inSite = faultsOf(pages, (path) => path === DRAWING || files.has(path.replace(/^files\//, '')));
  const faults = [...inSources.faults, ...inSite.faults];
  const links = inSources.links + inSite.links;
  for (const fault of faults) console.error(fault);
  console.log(`${links} links, ${faults.length} of them broken`);
  return faults.length === 0;
}

/** Writes the sources of the site to the folder that VitePress reads. */
function lay(generated, drawing) {
  const { pages, files } = assemble(generated);
  rmSync(place, { recursive: true, force: true });
  for (const [path, text] of pages) write(join(place, path), text);
  for (const [copy, path] of files) write(join(place, 'public', 'files', copy), readFileSync(join(root, path)));
  write(join(place, 'public', DRAWING), drawing);
  symlinkSync(join(root, 'docs/guides/.vitepress'), join(place, '.vitepress'));
  return pages.size;
}

/**
 * Fails if a page has inline styles or scripts, which the security policy of the pages would block
 * (src/web/guides.service.ts).
 */
function demandPlain() {
  for (const path of filesBelow(built)) {
    if (!path.endsWith('.html')) continue;
    const [inline] =
      /<[^>]+ style=[^>]*>|<style[\s>]|<script(?![^>]* src=)[^>]*>/.exec(readFileSync(path, 'utf8')) ?? [];
    if (inline) throw new Error(`${path} holds a style or a script of its own: ${inline.slice(0, 200)}`);
  }
}

async function render() {
  process.env.GUIDES_PAGES = place;
  const { build: vitepress } = await importFrom(GENERATOR, 'vitepress');
  await vitepress(place, { outDir: built, logLevel: 'warn' });
  demandPlain();
  await compress(built);
}

await build();
const facts = await readFacts((path) => import(`../dist/src/${path}`));
const generated = referencePages(facts);
if (!check(generated)) process.exit(1);
if (!process.argv.includes('--check')) {
  const count = lay(generated, orderDrawing(facts));
  await render();
  rmSync(place, { recursive: true });
  console.log(`${count} pages in dist/guides`);
}
process.exit(0);
