import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface Finding {
  readonly line: number;
  readonly found: string;
  readonly write: string;
  readonly rule: number;
}
interface Script {
  findingsIn(text: string, path?: string): Finding[];
  check(root: string, since: string): { findings: Map<string, Finding[]>; notes: string[] };
}

const { findingsIn, check }: Script = await import(join(import.meta.dirname, '../../scripts/english.mjs'));

const rulesOf = (text: string, path?: string) => findingsIn(text, path).map(({ rule }) => rule);
const LONG = Array.from({ length: 26 }, (_, index) => `word${index}`).join(' ');

describe('rules of English', () => {
  test.each([
    ['Whoever has the key, and nobody else, calls it.', 'Only the owner of the key calls it.', [2, 2]],
    ['Who lost the token rotates it soon.', 'If you lose the token, rotate it.', [2]],
    ['The session is dead at once.', 'The session stops working immediately.', [3, 3]],
    ['Each refusal has a code.', 'Each error has a code.', [3]],
    ['The answer is JSON.', 'The response is JSON.', [3]],
    ['A mail with a link arrives.', 'An email with a link arrives.', [3]],
    ['What follows is what it printed.', 'The output is below.', [5]],
    ['The status tells nothing of the cause.', 'The status does not reveal the cause.', [6]],
    [`${LONG}.`, `${LONG.replace('word13', 'word13. Word')}.`, [7]],
    ['It stops; it waits; it starts.', 'It stops and waits. Then it starts.', [7]],
    ['It is 50 unless told otherwise.', 'Default: 50.', [9]],
    ['Files are transformed anew.', 'Files are transformed again.', [11]],
    ['This holds for access tokens alone.', 'This is only for access tokens.', [11]],
    ['Yesterday is no time.', 'Invalid time: yesterday.', [13]],
    ['The colour of the neighbour was cancelled.', 'The color of the neighbor was canceled.', [15, 15, 15]],
  ])('%s', (bad, good, rules) => {
    expect(rulesOf(bad)).toEqual(rules);
    expect(findingsIn(good)).toEqual([]);
  });

  test('a finding names the line, the words and their replacement', () => {
    expect(findingsIn('# Title\n\nA line,\nand an unauthorised call.')).toEqual([
      { line: 4, found: 'unauthorised', write: 'unauthorized', rule: 15 },
    ]);
  });

  test('words with a good use are found only in their bad use', () => {
    expect(
      findingsIn('There is no cache. It is no longer there. It refuses to start. Two at once. A dead letter.'),
    ).toEqual([]);
    expect(rulesOf('It refuses the call at once.')).toEqual([3, 3]);
  });

  test.each([
    ['code spans', 'Set `colour` to ``dead ` at once``.'],
    ['code blocks', '```sh\necho whoever # colour\n```\n\n~~~\nanew\n~~~'],
    ['quotations', 'It prints "nobody is told at once".'],
    ['URLs and targets of links', 'See https://example.com/colour or [the page](docs/colour.md#at-once).'],
    ['identifiers and paths', 'Read src/core/colour.ts, MAIL_COLOUR and colourOf.'],
    ['HTML comments and generated parts', '<!-- anew -->\n<!-- written by a script -->\nanew\n<!-- up to here -->'],
    ['heads of files', '---\ntitle: colour\n---\n\nText.'],
  ])('%s are exempt', (_, text) => {
    expect(findingsIn(text)).toEqual([]);
  });

  test('headings, items and cells are sentences of their own', () => {
    const half = LONG.split(' ').slice(0, 15).join(' ');
    expect(
      findingsIn(
        `# ${half}\n${half}\n\n- ${half}\n- ${half}\n\n| ${half} | ${half} |\n|---|---|\n| ${half} | ${half} |`,
      ),
    ).toEqual([]);
  });

  test('comments, texts for users and titles of tests are checked, and code is not', () => {
    const code = [
      '/** Ends\n * nobody. */',
      'const colour = "a colour as data"; // anew',
      'const pattern = /[/]* \\/\\/ whoever/, text = `@{`nested @{colour}`} // whoever`;',
      'throw new Error(`The mail @{colour} is odd`);',
      "test('nobody is able to enter', () => {});",
    ]
      .join('\n')
      .replaceAll('@{', '${');
    const lines = (path: string) => findingsIn(code, path).map(({ line, found }) => `${line} ${found}`);
    expect(lines('scripts/x.mjs')).toEqual(['2 nobody', '3 anew']);
    expect(lines('test/x.spec.ts')).toEqual(['2 nobody', '3 anew', '6 nobody']);
    expect(lines('src/x.ts')).toEqual(expect.arrayContaining(['3 colour', '5 mail']));
    expect(findingsIn('const a = <p title="anew">anew // anew</p>; // don\'t, anew', 'web/x.tsx')).toHaveLength(1);
    expect(rulesOf('{\n  "title": "Your e-mail"\n}', 'web/words/en-US.json')).toEqual([3]);
  });
});

describe('a repository', () => {
  let root: string;
  let since: string;
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=x', '-c', 'user.email=x@example.com', '-c', 'commit.gpgsign=false', ...args],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const findings = () => [...check(root, since).findings].map(([name, some]) => [name, some.map(({ found }) => found)]);

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'english-'));
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'Whoever began earlier');
    since = git('rev-parse', 'HEAD').trim();
    write('README.md', 'You are here.');
    write('docs/contract/source.md', 'Nobody checks this colour.');
    write('scripts/x.mjs', '// Plain.');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('without findings passes', () => {
    expect(check(root, since)).toEqual({ findings: new Map(), notes: [] });
  });

  test('has the findings of all its files', () => {
    write('README.md', 'Nobody is here.');
    write('src/x.ts', '// Done anew.');
    expect(findings()).toEqual([
      ['README.md', ['Nobody']],
      ['src/x.ts', ['anew']],
    ]);
  });

  test('has the findings of later commit messages', () => {
    git(
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'Return the status',
      '-m',
      'Co-authored-by: Nobody <nobody@example.com>',
    );
    expect(findings()).toEqual([]);
    git('commit', '-q', '--allow-empty', '-m', 'Tell nobody at once');
    expect(findings()).toEqual([[`commit ${git('rev-parse', '--short', 'HEAD').trim()}`, ['nobody', 'at once']]]);
  });

  test('with a shorter history gets a note, and passes', () => {
    since = '1'.repeat(40);
    expect(check(root, since)).toEqual({ findings: new Map(), notes: [expect.stringContaining(since)] });
  });
});
