import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { type Export, readExports } from './public-api.js';

/** The pages of the manual that explain exports, by the packages. The first section that names an export explains it. */
const PAGES: readonly (readonly [entry: RegExp, page: string])[] = [
  [/server$/, 'docs/extending.md'],
  [/testing$/, 'docs/testing.md'],
  [/client$/, 'docs/client.md'],
  [/verify/, 'docs/guides/clients/protect-service.md'],
];

interface Section {
  readonly title: string;
  readonly anchor: string;
  readonly text: string;
}

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** The sections of a page, with the text up to the next heading. */
function sectionsOf(markdown: string): Section[] {
  const [, ...parts] = markdown.split(/^#{2,3} /m);
  return parts.map((part) => {
    const [title = ''] = part.split('\n', 1);
    return { title, anchor: anchorOf(title), text: part };
  });
}

/** The first section whose prose names an export, or whose code uses it. */
function findSection(name: string, sections: readonly Section[]): Section | undefined {
  const isNamed = new RegExp(`\`@?${name}\\b`);
  const isUsed = new RegExp(`\\b${name}\\b`);
  return sections.find(({ text }) => isNamed.test(text)) ?? sections.find(({ text }) => isUsed.test(text));
}

const isWritten = ({ declarations }: Export): boolean =>
  !declarations.some((declaration) => declaration.getSourceFile().fileName.endsWith('/client/dist/api.d.ts'));

export interface ApiReference {
  /** The page in Markdown, with links relative to the folder of the manual. */
  readonly page: string;
  /** The declaration files with a link to the manual in the docstring of each export, by path. */
  readonly declarations: ReadonlyMap<string, string>;
}

/** Adds a tag with the section of the manual to the docstring of a declaration. */
function addLink(text: string, declaration: ts.Node, target: string): string | undefined {
  const owner = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const [comment] = (ts.getLeadingCommentRanges(text, owner.getFullStart()) ?? []).slice(-1);
  if (!comment) return undefined;
  const docstring = text.slice(comment.pos, comment.end).replace(/\n \* @see dist\/manual\/\S+/, '');
  if (!docstring.startsWith('/**')) return undefined;
  const body = docstring.slice(0, -2).trimEnd();
  return `${text.slice(0, comment.pos)}${body}\n * @see ${target}\n */${text.slice(comment.end)}`;
}

/**
 * The reference of all exports of the packages. `root` is a checkout with its build output, `docs` contains the manual.
 * @throws Error if an export has no docstring, or an incomplete one
 */
export function apiReferenceOf(root: string, docs: string): ApiReference {
  const all = readExports(root);
  const silent = all.flatMap(([entry, exports]) =>
    exports.filter((one) => isWritten(one) && one.about === '').map(({ name }) => `${entry}: ${name}`),
  );
  if (silent.length > 0) throw new Error(`Write a docstring for each export:\n${silent.join('\n')}`);
  // TypeScript ends a description at an @, which it reads as the start of a tag.
  const incomplete = all.flatMap(([entry, exports]) =>
    exports.filter(({ about }) => about !== '' && !/[.:!?)`]$/.test(about)).map(({ name }) => `${entry}: ${name}`),
  );
  if (incomplete.length > 0) throw new Error(`End the docstring with a sentence, without @:\n${incomplete.join('\n')}`);
  const links: { declaration: ts.Declaration; target: string }[] = [];
  const parts = all.map(([entry, exports]) => {
    const page = PAGES.find(([pattern]) => pattern.test(entry))?.[1] ?? 'docs/extending.md';
    const sections = sectionsOf(readFileSync(join(docs, page), 'utf8'));
    const entries = exports.filter(isWritten).map(({ name, about, text, declarations }) => {
      const section = findSection(name, sections);
      const target = section ? `${page}#${section.anchor}` : page;
      const [declaration] = declarations;
      if (declaration && entry.startsWith('@gatehouse-auth/server')) links.push({ declaration, target });
      const link = section ? `[${section.title}](${target})` : `[Manual](${page})`;
      return `### ${name}\n\n${about}\n\nMore: ${link}\n\n\`\`\`ts\n${text}\n\`\`\`\n`;
    });
    return `## ${entry}\n\n${entries.join('\n')}`;
  });
  const declarations = new Map<string, string>();
  // From the end of a file to its start, so that positions stay correct.
  for (const { declaration, target } of links.toSorted((a, b) => b.declaration.pos - a.declaration.pos)) {
    const { fileName, text } = declaration.getSourceFile();
    const linked = addLink(declarations.get(fileName) ?? text, declaration, `dist/manual/${target}`);
    if (linked) declarations.set(fileName, linked);
  }
  const intro = '# API reference\n\nAll exports of the packages, each with its description and its declaration.\n';
  return { page: [intro, ...parts].join('\n'), declarations };
}
