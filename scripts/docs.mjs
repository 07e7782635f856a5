/**
 * Builds the site of guides into `dist/guides`, which the service serves at `/guides`. It contains the guides, the
 * manual and the contract from `docs/`, and a reference that is generated from the code. Fails if a link is broken.
 * `npm run build` does the same if a source has changed. `--check` only checks the links.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, compress, sources as filesBelow } from './build.mjs';
import { assemble, isFile, sources } from './guides/assemble.mjs';
import { readFacts } from './guides/facts.mjs';
import { faultsOf } from './guides/links.mjs';
import { orderDrawing, referencePages } from './guides/reference.mjs';
import { writeSite } from './guides/site.mjs';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

const folder = join(import.meta.dirname, '..', 'dist', 'guides');
const DRAWING = 'order.svg';

/** Checks the links of the sources as a code host shows them, and those of the site, which also has generated pages. */
function faultsOfLinks({ pages, files }) {
  const inSources = faultsOf(sources(), isFile);
  const inSite = faultsOf(pages, (path) => path === DRAWING || files.has(path.replace(/^files\//, '')));
  const faults = [...inSources.faults, ...inSite.faults];
  console.log(`${inSources.links + inSite.links} links, ${faults.length} of them broken`);
  return faults;
}

/** @throws Error if a page has inline styles or scripts, which its Content Security Policy blocks */
function assertNothingInline() {
  for (const path of filesBelow(folder)) {
    if (!path.endsWith('.html')) continue;
    const [inline] =
      /<[^>]+ style=[^>]*>|<style[\s>]|<script(?![^>]* src=)[^>]*>/.exec(readFileSync(path, 'utf8')) ?? [];
    if (inline) throw new Error(`${path} has an inline style or script: ${inline.slice(0, 200)}`);
  }
}

if (!process.argv.includes('--built')) await build({ guides: false });
const facts = await readFacts((path) => import(`../dist/src/${path}`));
const site = assemble(referencePages(facts));
const faults = faultsOfLinks(site);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
if (!process.argv.includes('--check')) {
  const count = await writeSite({ ...site, drawings: { [DRAWING]: orderDrawing(facts) }, folder });
  assertNothingInline();
  await compress(folder, 9);
  console.log(`${count} pages in dist/guides`);
}
process.exit(0);
