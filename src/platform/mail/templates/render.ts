import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Eta } from 'eta/core';
import { CONTENTS, type Content, type MailMetadata, type MailType, type Occasion } from './contents.js';

const eta = new Eta({ autoEscape: true, cache: true });
eta.loadTemplate('@layout', readFileSync(join(import.meta.dirname, 'layout.html.eta'), 'utf8'));

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The words of a mail as plain text and as HTML, where everything that is not ours is escaped. */
export function renderMail<T extends MailType>(type: T, occasion: Occasion<MailMetadata[T]>): RenderedMail {
  const content = CONTENTS[type](occasion);
  const { subject } = content;
  return { subject, text: asText(content, occasion.product), html: eta.render('@layout', { ...occasion, ...content }) };
}

const asText = ({ paragraphs, code, action, closing }: Content, product: string): string =>
  [...paragraphs, code && `    ${code}`, action && `${action.label}:\n${action.url}`, closing, `-- \n${product}`]
    .filter(Boolean)
    .join('\n\n')
    .concat('\n');
