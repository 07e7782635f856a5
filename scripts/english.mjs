/**
 * Checks the English of docs, comments, texts for users and commit messages. The rules and terms are in
 * `scripts/english.terms.mjs`.
 *
 *   npm run english                  every finding
 *   npm run english -- README.md     the findings below the paths
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LONGEST_SENTENCE, RULES, SPELLINGS, TERMS } from './english.terms.mjs';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

// Loaded only if there is work to do.
const { default: ts } = await import('typescript');

/** The last commit whose message is not checked. */
const SINCE = 'b78f94eca92839176a10001d7dd04ed7b151bb44';
const PAGE_TEXTS = 'web/words/en-US.json';
const FOLDERS = ['docs', 'src', 'web', 'test', 'scripts', 'bench', 'client', 'verify', 'examples'];
const CODE = /\.(?:[cm]?[jt]s|[jt]sx)(?:\.eta)?$/;
const SKIPPED = [
  // The normative wording of the contract is not checked.
  /^docs\/contract\//,
  // Files of others and build output.
  /(?:^|\/)(?:node_modules|dist|coverage|vendor)\//,
  // Results of earlier runs stay as they were written.
  /^bench\/results\//,
  // Generated from the texts in `src`, which are checked.
  /^client\/api\.ts$/,
  // Contains the words that it checks for.
  /^scripts\/english\.terms\.mjs$/,
  // Translations into other languages.
  /^src\/platform\/mail\/templates\/words\/(?!en-US|words|kinds)/,
];
/**
 * Strings of these files are texts for users; elsewhere they are data. In `src`, migrations and Redis scripts are programs,
 * and `reserved.ts` lists names.
 */
const TEXTS = /^src\/(?!migrations\/|gateway\/store\/redis-scripts\.ts$|cli\/new\/reserved\.ts$|.+\.spec\.ts$)/;
const SPECS = /spec\.tsx?$/;
/** Detects SQL statements. */
const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|WHERE|FROM|JOIN|VALUES|SET|AND|OR)\b/;

const terms = [
  ...TERMS.map(([pattern, write, rule, except]) => ({
    pattern: new RegExp(`(?<![\\w-])(?:${pattern.source})(?![\\w-])`, 'gi'),
    except: except && new RegExp(`\\b(?:${except.source})\\b`, 'gi'),
    write: () => write,
    rule,
  })),
  ...SPELLINGS.map(([british, american]) => ({
    // A British spelling can be the beginning of the American one. Such a word is correct.
    pattern: new RegExp(`\\b${british}${american.startsWith(british) ? '(?!l)' : ''}[a-z]*`, 'gi'),
    write: (found) => american + found.toLowerCase().slice(british.length),
    rule: 15,
  })),
];
const anyTerm = new RegExp(terms.map(({ pattern }) => pattern.source).join('|'), 'i');

const hide = (text) => text.replace(/[^\n]/g, 'X');

/** The prose of a text. Characters of code, quotations, links and identifiers become an X each, or a space. */
const prose = (text) =>
  text
    .replace(/(`+)[^`][\s\S]*?\1/g, hide)
    .replace(/(?<=\])\([^)\s]*\)|(?<=\])\[[^\]]*\]/g, (link) => ' '.repeat(link.length))
    .replace(/\{@?\w+(?: [^}]*)?\}|<\/?[a-z!][^<>]*>|&[a-z]+;/gi, hide)
    .replace(/"[^"]{1,120}"|“[^”]{1,120}”/g, hide)
    .replace(/\bhttps?:\/\/[^\s)]+/g, hide)
    // Paths, and names that contain a dot, an underscore or a capital letter.
    .replace(/(?<![\w.])[\w.@-]*\w[/][\w./*-]*\w|\b\w+(?:\.\w+)*\.(?:[a-z]{2,4}|example)\b/g, hide)
    .replace(/\b[\w$]+_[\w$]*|\b_[\w$]+|\b[a-z]+[A-Z]\w*/g, hide);

/** Counts words. Consecutive names, such as a list of commands, count as one word. */
const words = (text) =>
  text
    .replace(/X+(?:,?(?: and| or)?\s+X+)+/g, 'X')
    .split(/\s+/)
    .filter((word) => /[\p{L}\d]/u.test(word)).length;

/** The sentences of a text, each with its start position. */
function* sentencesOf(text) {
  let from = 0;
  for (const { index, 0: end } of text.matchAll(
    /(?<!\b(?:e\.g|i\.e|etc|vs|cf|St))[.!?][)*_"”]*(?=\s+[("“*_[]*[\p{Lu}\d])/gu,
  )) {
    yield { from, sentence: text.slice(from, index + end.length) };
    from = index + end.length;
  }
  yield { from, sentence: text.slice(from) };
}

/** The findings in a block: a paragraph, a list item, a table cell, a comment or a string. */
function* findingsOf({ line, text: written }) {
  const text = prose(written);
  const at = (index) => line + (text.slice(0, index).match(/\n/g)?.length ?? 0);
  if (anyTerm.test(text)) {
    for (const { pattern, except, write, rule } of terms) {
      for (const { index, 0: found } of text.matchAll(pattern)) {
        const spared = [...(except ? text.matchAll(except) : [])];
        if (spared.some((good) => good.index < index + found.length && index < good.index + good[0].length)) continue;
        yield { line: at(index), found: found.replace(/\s+/g, ' '), write: write(found), rule };
      }
    }
  }
  for (const { from, sentence } of sentencesOf(text)) {
    const start = from + sentence.search(/\S|$/);
    const [begin] = written.slice(start).split(/\s+(?=\S+)/, 1);
    const finding = (found, write, rule) => ({ line: at(start), found, write, rule });
    const count = words(sentence);
    if (count > LONGEST_SENTENCE) {
      yield finding(`${begin} …`, `sentences of at most ${LONGEST_SENTENCE} words, not ${count}`, 7);
    }
    if ((sentence.replace(/\([^)]*\)/g, '').match(/;/g)?.length ?? 0) > 1) {
      yield finding(`${begin} …; …; …`, 'a sentence or a list item for each part', 7);
    }
    const clauses = sentence.match(/\b(?:what|whatever|that which)\b/gi) ?? [];
    if (clauses.length > 1) yield finding(clauses.join(' … '), 'nouns', 5);
    if (count > 5 && /^\s*Who /.test(sentence) && !/\?\W*$/.test(sentence))
      yield finding('Who', 'a noun: the user who, if you', 2);
  }
}

/** The paragraphs, headings, list items and table cells of a Markdown page. */
function* blocksOfMarkdown(page) {
  const text = page
    .replace(/^---\n[\s\S]*?\n---$/m, (head) => (page.startsWith(head) ? head.replace(/[^\n]/g, '') : head))
    .replace(/<!-- written by[\s\S]*?<!-- up to here -->|<!--[\s\S]*?-->/g, (hidden) => hidden.replace(/[^\n]/g, ''));
  let block;
  let fence;
  for (const [index, whole] of text.split('\n').entries()) {
    const line = index + 1;
    const content = whole.replace(/^[\s>]*/, '');
    const [mark] = /^(?:`{3,}|~{3,})/.exec(content) ?? [];
    const begins = mark !== undefined || content === '' || /^(?:#+ |[-*+] |\d+\. |\||:::|\[[^\]]+\]: )/.test(content);
    if (fence === undefined && block && begins) {
      yield block;
      block = undefined;
    }
    if (mark && (fence === undefined || content.startsWith(fence))) fence = fence === undefined ? mark : undefined;
    else if (fence !== undefined || content === '' || /^(?:\[[^\]]+\]: |\|[-: |]+\|$)/.test(content)) continue;
    else if (content.startsWith('|')) {
      for (const cell of content.split(/(?<!\\)\|/)) if (cell.trim() !== '') yield { line, text: cell.trim() };
    } else if (block) block.text += `\n${content}`;
    else block = { line, text: content.replace(/^(?:#+|[-*+]|\d+\.|:::\s*\w*)\s+/, '') };
    if (block && /^#+ /.test(content)) {
      yield block;
      block = undefined;
    }
  }
  if (block) yield block;
}

const { SyntaxKind } = ts;
const LITERALS = new Set([SyntaxKind.StringLiteral, SyntaxKind.NoSubstitutionTemplateLiteral]);
const BEFORE_DIVISION = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.ThisKeyword,
  ...LITERALS,
]);

/**
 * The comments of a file with JSX. Only a parser can distinguish JSX text from code. Strings of these files are not
 * checked.
 */
function tokensOfJsx(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const opaque = [];
  const visit = (node) => {
    const { kind } = node;
    if (ts.isLiteralExpression(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      opaque.push([node.getStart(source), node.end]);
    }
    if (kind === SyntaxKind.JsxText) opaque.push([node.pos, node.end]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  const bare = text.split('');
  for (const [from, to] of opaque) bare.fill(' ', from, to);
  const comments = [...bare.join('').matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g)].map(({ index, 0: comment }) => ({
    pos: index,
    text: text.slice(index, index + comment.length),
  }));
  return { comments, strings: [] };
}

/**
 * The comments and strings of a file. In templates, an X replaces each value. Each string includes the two tokens
 * before it.
 */
function tokensOf(path, text) {
  if (/\.[jt]sx$/.test(path)) return tokensOfJsx(path, text);
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text);
  const comments = [];
  const strings = [];
  const templates = [];
  let before = ['', ''];
  let last;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    if (kind === SyntaxKind.SingleLineCommentTrivia || kind === SyntaxKind.MultiLineCommentTrivia) {
      comments.push({ pos: scanner.getTokenStart(), text: scanner.getTokenText() });
    }
    if (kind <= SyntaxKind.LastTriviaToken && kind !== SyntaxKind.Unknown) continue;
    if ((kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) && !BEFORE_DIVISION.has(last)) {
      kind = scanner.reScanSlashToken();
    }
    if (templates.length > 0) {
      const open = templates.at(-1);
      if (kind === SyntaxKind.OpenBraceToken) open.depth++;
      else if (kind === SyntaxKind.CloseBraceToken && open.depth-- === 0) {
        kind = scanner.reScanTemplateToken(false);
        open.text += `X${scanner.getTokenText().replace(/^\}|\$\{$|`$/g, '')}`;
        open.depth = 0;
        if (kind === SyntaxKind.TemplateTail) strings.push(templates.pop());
      }
    }
    const token = scanner.getTokenText();
    if (LITERALS.has(kind)) strings.push({ pos: scanner.getTokenStart(), text: token.slice(1, -1), before });
    if (kind === SyntaxKind.TemplateHead) {
      templates.push({ pos: scanner.getTokenStart(), text: token.slice(1, -2), before, depth: 0 });
    }
    before = [before[1], token];
    last = kind;
  }
  return { comments, strings };
}

/** The comments of a file. If its strings are texts for users or titles of tests, also the strings. */
function* blocksOfCode(path, text) {
  const starts = [0];
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) starts.push(index + 1);
  const lineOf = (pos) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= pos) low = middle;
      else high = middle;
    }
    return low + 1;
  };
  const { comments, strings } = tokensOf(path, text);
  let block;
  let next = 0;
  for (const { pos, text: comment } of comments) {
    const line = lineOf(pos);
    // Consecutive line comments are one paragraph.
    const goesOn = block && comment.startsWith('//') && line === next;
    if (block && !goesOn) yield block;
    if (!goesOn) block = undefined;
    for (const [index, whole] of comment.split('\n').entries()) {
      const raw = whole.replace(/^\s*(?:\/\*+|\/\/+|\*(?!\/))? ?|\s*\*\/\s*$/g, '');
      const content = raw.replace(/^@(?:param|throws|returns?|\w+)(?: \{[^}]*\})?(?: [\w.[\]]+(?= ))?\s*|^[-*] /, '');
      const skipped = /^(?:biome-ignore|eslint|@ts-|<reference|\s{2,}\S)/.test(raw) || content.trim() === '';
      if (block && (skipped || content !== raw)) {
        yield block;
        block = undefined;
      }
      if (skipped) continue;
      if (block) block.text += `\n${content}`;
      else block = { line: line + index, text: content };
    }
    next = line + comment.split('\n').length;
  }
  if (block) yield block;
  const shown = TEXTS.test(path);
  const isSpec = SPECS.test(path);
  if (!shown && !isSpec) return;
  for (const { pos, text: string, before } of strings) {
    const [called, paren] = before;
    const isTitle = paren === '(' && /^(?:test|describe|only|skip|\))$/.test(called);
    if ((shown || isTitle) && /[a-z]+ [a-z]+ [a-z]/i.test(string) && !SQL.test(string)) {
      const line = lineOf(pos);
      const text = string.replace(/\\n/g, '  ').replace(/\\(.)/g, ' $1');
      if (!text.includes('\n\n')) yield { line, text };
      // A string with several paragraphs is Markdown.
      else for (const block of blocksOfMarkdown(text)) yield { ...block, line: block.line + line - 1 };
    }
  }
}

function* blocksOfJson(text) {
  for (const [index, line] of text.split('\n').entries()) {
    const [, string] = /^\s*"[^"]+": "(.*)",?$/.exec(line) ?? [];
    if (string) yield { line: index + 1, text: string.replace(/\\n/g, '  ').replace(/\\(.)/g, ' $1') };
  }
}

const blocksOf = (path, text) => {
  if (path.endsWith('.json')) return blocksOfJson(text);
  return CODE.test(path) ? blocksOfCode(path, text) : blocksOfMarkdown(text);
};

/** @param path determines how the text is parsed; a Markdown page by default */
export const findingsIn = (text, path = 'README.md') =>
  [...blocksOf(path, text)]
    .flatMap((block) => [...findingsOf(block)])
    // Pages call other users "people" and "someone". `test/web/terms.spec.ts` checks their terms.
    .filter(({ rule }) => rule !== 2 || path !== PAGE_TEXTS)
    .sort((a, b) => a.line - b.line);

function* filesBelow(root, folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (SKIPPED.some((pattern) => pattern.test(entry.isDirectory() ? `${path}/` : path))) continue;
    if (entry.isDirectory()) {
      if (folder !== '' || FOLDERS.includes(path)) yield* filesBelow(root, path);
    } else if (/\.md(?:\.eta)?$/.test(path) || path === PAGE_TEXTS) yield path;
    else if (folder !== '' && CODE.test(path)) yield path;
  }
}

/** The findings of each file that has any, by path. */
export const findingsBelow = (root) =>
  new Map(
    [...filesBelow(root, '')]
      .sort()
      .map((path) => [path, findingsIn(readFileSync(join(root, path), 'utf8'), path)])
      .filter(([, findings]) => findings.length > 0),
  );

/** The findings of commits after `since`, by short commit ID. Undefined if the history does not contain `since`. */
function findingsOfCommits(root, since) {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (git('merge-base', '--is-ancestor', since, 'HEAD').status !== 0) return undefined;
  const { status, stdout } = git('log', '--no-merges', '--format=%h%n%B%x00', `${since}..HEAD`);
  if (status !== 0) return undefined;
  const commits = stdout.split('\0').map((commit) => commit.trimStart());
  return new Map(
    commits.flatMap((commit) => {
      const [id, ...message] = commit.replace(/^[\w-]+-by: .*$/gim, '').split('\n');
      const findings = findingsIn(message.join('\n'));
      return findings.length > 0 ? [[`commit ${id}`, findings]] : [];
    }),
  );
}

/** Returns the findings of files and commits, and notes to print. */
export function check(root, since = SINCE) {
  const commits = findingsOfCommits(root, since);
  const notes = commits ? [] : [`Commit messages were not checked: the history lacks the commit ${since}.`];
  return { findings: new Map([...findingsBelow(root), ...(commits ?? [])]), notes };
}

function print(findings) {
  const rules = new Set();
  for (const [path, some] of findings) {
    for (const { line, found, write, rule } of some) {
      console.log(`${path}:${line}: "${found}" → write "${write}" (rule ${rule})`);
      rules.add(rule);
    }
  }
  for (const rule of [...rules].sort((a, b) => a - b)) console.log(`Rule ${rule}: ${RULES[rule]}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(import.meta.dirname, '..');
  const paths = process.argv.slice(2).map((path) => path.replace(/^\.\/|\/$/g, ''));
  for (const path of paths)
    if (!statSync(join(root, path), { throwIfNoEntry: false })) throw new Error(`No such file: ${path}`);
  const { findings, notes } = check(root);
  const shown = [...findings].filter(
    ([path]) => paths.length === 0 || paths.some((one) => `${path}/`.startsWith(`${one}/`)),
  );
  print(shown);
  for (const note of notes) console.log(note);
  const total = shown.reduce((sum, [, { length }]) => sum + length, 0);
  console.log(total > 0 ? `${total} findings in ${shown.length} files and commits` : 'No findings.');
  process.exit(total > 0 ? 1 : 0);
}
