/**
 * Checks the tables of `docs/assurance`. They must contain all requirements of ASVS with their levels, and all known
 * attacks. Every test, file and setting that they name must exist. `--write` updates the counts. `--ran <file>` reads
 * the results that a test run wrote to this file (`TESTS_RAN=<file> npm run test:all`), and requires that every named
 * test passed in it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

// Loaded only if there is work to do.
const { default: ts } = await import('typescript');

const ROOT = join(import.meta.dirname, '..');
const FOLDER = 'docs/assurance';
const [BEGIN, END] = ['<!-- counts -->', '<!-- end of counts -->'];
const VERDICTS = ['met', 'n/a', 'deviates'];
/** Separates the path of a file, the titles of the enclosing `describe` blocks and the title of the test. */
const STEP = ' › ';

/** The level of each requirement of ASVS 5.0.0: one line per chapter, with one group of digits per section. */
const ASVS_LEVELS = `
22 1111122223 112222222223 222 123
122 112 12223 23
3 113 12223 11222233 11122333 3 22333
12233 23333 22 1222
2 112333 113 222
122 111111112222 11223333 112233 22222333 2223 33 2222
222 1111 22 11222 223 22
1233 1123 133 23
111 1222
22 223 22223 1111122222233333 22222 22 222
2233 22233 11233 1222 23 23 33
12233 11 22223
2333 222223 2233 1222233
22 12223333 122
12233 12233 1222222 3333
2 22222 2222 222 2223
23 22223333 22
`;

/** The number and the level of every requirement. */
function asvs() {
  const chapters = ASVS_LEVELS.trim().split('\n');
  const numbered = chapters.flatMap((line, chapter) =>
    line
      .split(' ')
      .flatMap((group, section) =>
        [...group].map((level, index) => [`V${chapter + 1}.${section + 1}.${index + 1}`, level]),
      ),
  );
  return new Map(numbered);
}

/** The known attacks and faults: one line per kind, with the numbers in use. */
const ATTACKS = `
HDR 1-27 29 31-37
TYP 1
ORA 1-12
ENU 1-7 9-15 17
BRF 2-11 13-16
IPB 1 3-12
MFA 1-2 4-9 12-19
BRG 2-3
RST 1-15
EML 1-5 7-8
IPA 2-6 8
OAU 1 3 5-18 20-22 24-26 28-32 34-43 45-49
CON 1 3-7
ADM 1-2 4-7 9-11 13-20 23
SUS 1-5 7-8
SSOE 1-3 5-6
STA 1-3
SUD 1-19 21-23
WAN 1-3 5-26
SSO 5-10 12 14-19 21-27
SES 1-5 7-15
GWY 1-13 15-24
WHK 1-7 9-13
MED 1-9 12-15 17
SRF 2-16
BOD 1 3-7 9-16 18-20
SQL 1-8 10
MAS 1-7
RTE 1-6
HTT 1-10
HDS 1-3
COR 1-5
CSR 1-2
LOG 1-3 5-11
SUP 1-7
RL 1-6
FLT 1-17 20-48
`;

/** The ID of every attack and fault. */
function attacks() {
  const kinds = ATTACKS.trim().split('\n');
  return kinds.flatMap((line) => {
    const [kind, ...ranges] = line.split(' ');
    return ranges.flatMap((range) => {
      const [first, last = first] = range.split('-').map(Number);
      return Array.from(
        { length: last - first + 1 },
        (_, index) => `${kind}-${String(first + index).padStart(2, '0')}`,
      );
    });
  });
}

/** Splits a table row into cells. An escaped pipe does not separate cells. */
const cellsOf = (line) =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** The table rows of a page that contain requirements. */
const rowsOf = (text) =>
  text
    .split('\n')
    .filter((line) => /^\| (?:V\d+\.\d+\.\d+|[\dB][\d.]*-\d+|[A-Z]{2,4}-\d+) \|/.test(line))
    .map(cellsOf);

const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const known = new Map();

/** The tests of a file, each as a list of titles: those of the enclosing `describe` blocks, then its own. */
function testsOf(path) {
  const found = known.get(path) ?? [];
  if (known.has(path)) return found;
  known.set(path, found);
  const source = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
  const visit = (node, around) => {
    const [title, ...rest] = ts.isCallExpression(node) ? node.arguments : [];
    const called = ts.isCallExpression(node)
      ? /^(?:test|describe)/.exec(node.expression.getText(source))?.[0]
      : undefined;
    if (called === undefined || !title || !(ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) {
      ts.forEachChild(node, (child) => visit(child, around));
      return;
    }
    const titles = [...around, ts.isStringLiteralLike(title) ? title.text : title.getText(source)];
    if (called === 'test') found.push(titles);
    else for (const part of rest) visit(part, titles);
  };
  visit(source, []);
  return found;
}

const endsWith = (titles, wanted) => {
  const last = titles.slice(-wanted.length);
  return last.length === wanted.length && last.every((title, index) => title === wanted[index]);
};

/** Converts a title with placeholders to a pattern for the titles in a test run. */
const asRun = (title) =>
  new RegExp(`^${title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/%(?:\\\.\d+)?[sdijp#]/g, '[^]*')}$`);

/** The outcome of a test in a run. A test with a table of cases passed if no case failed and at least one passed. */
function outcomeOf(ran, file, wanted) {
  const patterns = wanted.map(asRun);
  const meant = ran.filter(({ path, titles }) => {
    const last = titles.slice(-patterns.length);
    return (
      path === file && last.length === patterns.length && last.every((title, index) => patterns[index].test(title))
    );
  });
  if (meant.length === 0) return 'is in no run';
  if (meant.some(({ status }) => status === 'failed')) return 'failed';
  return meant.some(({ status }) => status === 'passed') ? 'passed' : 'skipped';
}

/** @param what the heading of the second column of the requirements */
function countsOf(rows, what) {
  const words = [...new Set(rows.map(([, word]) => word))];
  const line = (title, some) =>
    `| ${[title, ...VERDICTS.map((verdict) => some.filter((row) => row[3] === verdict).length), some.length].join(' | ')} |`;
  return [
    `| ${what} | ${VERDICTS.join(' | ')} | in all |`,
    '|---|---|---|---|---|',
    ...words.sort().map((word) =>
      line(
        word,
        rows.filter((row) => row[1] === word),
      ),
    ),
    line('all', rows),
  ].join('\n');
}

const withCounts = (text) => {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('a page has no place for its counts');
  return `${text.slice(0, begin)}${BEGIN}\n\n${countsOf(rowsOf(text), /^\| # \| (\w+) \|/m.exec(text)?.[1] ?? 'Level')}\n\n${text.slice(end)}`;
};

/** The pages with requirements, by path. */
export const assurancePages = () =>
  new Map(
    readdirSync(join(ROOT, FOLDER))
      .map((name) => [`${FOLDER}/${name}`, readFileSync(join(ROOT, FOLDER, name), 'utf8')])
      .filter(([, text]) => text.includes(BEGIN)),
  );

/**
 * Returns the faults of the pages, and the named tests that were skipped.
 * @param ran the tests of a run: path, titles, status
 */
export function faultsOf(pages, ran) {
  const faults = [];
  const skipped = [];
  const settings = new Set([...read('.env.example').matchAll(/^#([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name));

  const checkReference = (id, span) => {
    const [path, ...wanted] = span.split(STEP);
    if (wanted.length > 0) {
      if (!existsSync(join(ROOT, path))) return faults.push(`${id}: there is no ${path}`);
      if (!testsOf(path).some((titles) => endsWith(titles, wanted))) return faults.push(`${id}: there is no ${span}`);
      const outcome = ran && outcomeOf(ran, path, wanted);
      if (outcome === 'skipped') skipped.push(span);
      else if (outcome && outcome !== 'passed') faults.push(`${id}: ${span} ${outcome}`);
    } else if (/^(?:src|test|web|scripts|deploy)\//.test(span)) {
      if (!existsSync(join(ROOT, span))) faults.push(`${id}: there is no ${span}`);
    } else if (/^[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:=|$)/.test(span) && !settings.has(span.split('=')[0])) {
      faults.push(`${id}: there is no setting ${span}`);
    }
  };

  for (const [path, text] of pages) {
    const rows = rowsOf(text);
    const seen = new Set();
    for (const row of rows) {
      const [id, , asks, verdict, how] = row;
      if (seen.has(id)) faults.push(`${path}: ${id} is listed twice`);
      seen.add(id);
      if (row.length !== 5 || !asks || !how) faults.push(`${path}: ${id} is incomplete`);
      if (!VERDICTS.includes(verdict)) faults.push(`${path}: ${id} has no verdict`);
      if (verdict !== 'met' && how?.startsWith('`test/')) faults.push(`${path}: ${id} has no reason`);
      for (const [, span] of (how ?? '').matchAll(/`([^`]+)`/g)) checkReference(id, span);
    }
    if (path.endsWith('/asvs.md')) {
      const levels = asvs();
      for (const [id, level] of levels) if (!seen.has(id)) faults.push(`${path}: ${id} of level ${level} is missing`);
      for (const [id, level] of rows) {
        if (levels.get(id) !== level)
          faults.push(`${path}: ${id} is of level ${levels.get(id) ?? 'none'}, not ${level}`);
      }
    }
    if (path.endsWith('/attacks.md')) {
      for (const id of attacks()) if (!seen.has(id)) faults.push(`${path}: ${id} is missing`);
      for (const [id, , , verdict, how] of rows) {
        if (verdict === 'met' && !how?.includes(STEP)) faults.push(`${path}: ${id} names no test`);
      }
    }
    if (withCounts(text) !== text) faults.push(`${path}: the counts are outdated: run npm run assurance -- --write`);
  }
  return { faults, skipped };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [mode, file] = process.argv.slice(2);
  if (mode === '--write') {
    for (const [path, text] of assurancePages()) writeFileSync(join(ROOT, path), withCounts(text));
  }
  const lines = mode === '--ran' ? readFileSync(file, 'utf8').trimEnd().split('\n') : undefined;
  const { faults, skipped } = faultsOf(
    assurancePages(),
    lines?.map((line) => JSON.parse(line)),
  );
  for (const fault of faults) console.error(fault);
  for (const name of new Set(skipped)) console.log(`skipped: ${name}`);
  console.log(faults.length > 0 ? `${faults.length} faults of assurance` : 'all references exist');
  process.exit(faults.length > 0 ? 1 : 0);
}
