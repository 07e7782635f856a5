import { fieldError, Refusal } from '../core/errors.js';
import { isHttpUrl, type Members, type MessageInput, readMessage, URL_LENGTH } from './message-input.js';

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Stands for a text that is missing where an embed must have one. */
const BLANK = '\u200b';

/** A URL that a message may hold; every other one is dropped. */
const urlOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= URL_LENGTH && isHttpUrl(value) ? value : undefined;

/** A member as senders mean it: `null` and the empty text are none, and another scalar is its text. */
function given(value: unknown): unknown {
  if (value === null || value === '') return undefined;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

/** The elements of a list. A scalar in its place, or among them, counts as absent. What is neither is left to be rejected. */
function elementsOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? value.filter((element) => typeof element === 'object' && element !== null) : value;
}

/** Six hexadecimal digits, with or without `#`. */
function colorOf(value: unknown): number | undefined {
  const [, digits] = /^#?([0-9a-f]{6})$/i.exec(typeof value === 'string' ? value : '') ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

/** Seconds since 1970, as a number or as text, with or without a fraction. */
function timeOf(value: unknown): string | undefined {
  const seconds = typeof value === 'string' && /^\d{1,12}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !(seconds >= 0) || seconds > 253_402_300_799) return undefined;
  return new Date(Math.floor(seconds * 1000)).toISOString();
}

/** `pretext` and `text` on two lines, else `fallback`. What is no scalar stays as it is, to be rejected. */
function descriptionOf({ pretext, text, fallback }: Members): unknown {
  const lines = [pretext, text].map(given).filter(present);
  const odd = lines.find((line) => typeof line !== 'string');
  if (odd !== undefined) return odd;
  return lines.length > 0 ? lines.join('\n') : given(fallback);
}

/** A field of Slack may have no title, or no value; one of an embed must have both. */
function fieldOf(field: unknown): unknown {
  if (!isMembers(field)) return field;
  const [name, value] = [given(field.title), given(field.value)];
  if (name === undefined && value === undefined) return undefined;
  return { name: name ?? BLANK, value: value ?? BLANK, inline: field.short === true };
}

const present = (value: unknown): boolean => value !== undefined;

function embedOf(attachment: unknown): unknown {
  if (!isMembers(attachment)) return attachment;
  const [title, footer, author] = [attachment.title, attachment.footer, attachment.author_name].map(given);
  const [image, thumbnail] = [urlOf(attachment.image_url), urlOf(attachment.thumb_url)];
  const elements = elementsOf(attachment.fields);
  const fields = Array.isArray(elements) ? elements.map(fieldOf).filter(present) : elements;
  const description = descriptionOf(attachment);
  const hasFields = Array.isArray(fields) ? fields.length > 0 : fields !== undefined;
  if (!hasFields && ![title, description, footer, author, image, thumbnail].some(present)) return undefined;
  const { title_link, color, ts, author_link, author_icon } = attachment;
  return {
    ...{ title, description, url: urlOf(title_link), color: colorOf(color), timestamp: timeOf(ts), fields },
    ...(footer === undefined ? {} : { footer: { text: footer } }),
    ...(author === undefined
      ? {}
      : { author: { name: author, url: urlOf(author_link), icon_url: urlOf(author_icon) } }),
    ...(image === undefined ? {} : { image: { url: image } }),
    ...(thumbnail === undefined ? {} : { thumbnail: { url: thumbnail } }),
  };
}

/** The name that the sender knows for what a message calls otherwise. */
const theirs = (path: string): string => path.replace(/^content$/, 'text').replace(/^embeds/, 'attachments');

/**
 * A message from the body of an incoming webhook of Slack (webhooks.md section 6).
 * @throws Refusal FV(message_data: INVALID_MESSAGE_DATA), FV(text: CONTENT_EXCEEDS_MAX_LENGTH) and the like
 */
export function readSlack({ text, username, icon_url, attachments }: Members): MessageInput {
  const elements = elementsOf(attachments);
  const embeds = Array.isArray(elements) ? elements.map(embedOf).filter(present) : elements;
  try {
    return readMessage({ content: given(text), username: given(username), avatar_url: urlOf(icon_url), embeds });
  } catch (error) {
    const { errors } =
      error instanceof Refusal ? (error.getResponse() as { errors?: { path: string; code: never }[] }) : {};
    if (!errors) throw error;
    throw new Refusal('INVALID_FORM_BODY', { errors: errors.map(({ path, code }) => fieldError(theirs(path), code)) });
  }
}
