import { intlLocaleOf, type Language } from '../../../core/text/languages.js';
import type { Content } from './contents.js';
import type { Translator } from './translator.js';

/** Maximum columns of a line, unless a single word is longer. */
const WIDTH = 76;

/** Display width: CJK characters take two columns. */
const displayWidth = (text: string): number => text.length + (text.match(/[\u3000-\u9fff\uff00-\uff60]/g)?.length ?? 0);

/** Splits a text where a line may break: before spaces, or between words in Japanese, which has no spaces. */
function* breakableParts(text: string, language: Language): Generator<string> {
  if (language !== 'ja') {
    yield* text.split(/(?= )/);
    return;
  }
  let part = '';
  for (const { segment, isWordLike } of new Intl.Segmenter(intlLocaleOf(language), { granularity: 'word' }).segment(
    text,
  )) {
    if (isWordLike && part !== '') {
      yield part;
      part = '';
    }
    part += segment;
  }
  yield part;
}

function wrapText(text: string, language: Language): string {
  const lines = [''];
  for (const part of breakableParts(text, language)) {
    const line = `${lines.at(-1)}${part}`;
    if (displayWidth(line) <= WIDTH || lines.at(-1) === '') lines[lines.length - 1] = line;
    else lines.push(part.trimStart());
  }
  return lines.join('\n');
}

export interface Footer {
  readonly product: string;
  readonly reason: string;
  readonly links: readonly { readonly label: string; readonly url: string }[];
}

/** Renders a message as plain text. Codes and links that users copy or open have a line of their own. */
export function renderPlainText(
  content: Content,
  footer: Footer,
  language: Language,
  { words }: Pick<Translator, 'words'>,
): string {
  const fact = ([label, value]: readonly [string, string]) =>
    words.fact.replace('{label}', label).replace('{value}', () => value);
  const { paragraphs, facts = [], request, code, action, closing } = content;
  const blocks = [
    ...paragraphs.map((paragraph) => wrapText(paragraph, language)),
    code && `    ${code}`,
    facts.map(fact).join('\n'),
    request && wrapText(request, language),
    action && `${fact([action.label, '']).trimEnd()}\n${action.url}`,
    closing && wrapText(closing, language),
    [
      '-- ',
      footer.product,
      wrapText(footer.reason, language),
      ...footer.links.map(({ label, url }) => fact([label, url])),
    ].join('\n'),
  ];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}
