import { fieldError, Refusal } from '../core/errors.js';
import { isHttpUrl, type Members, type MessageInput, readMessage, URL_LENGTH } from './message-input.js';

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A URL that a message may hold; every other one is dropped. */
const urlOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= URL_LENGTH && isHttpUrl(value) ? value : undefined;

/** A member that is there; `null` and the empty string stand for none. */
const given = (value: unknown): unknown => (isAbsent(value) ? undefined : value);

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

/** `pretext` and `text` on two lines, else `fallback`. What is no text stays as it is, to be refused. */
function descriptionOf({ pretext, text, fallback }: Members): unknown {
  const lines = [pretext, text].map(given).filter((line) => line !== undefined);
  const odd = lines.find((line) => typeof line !== 'string');
  if (odd !== undefined) return odd;
  return lines.length > 0 ? lines.join('\n') : given(fallback);
}

/** Fields of Slack may have no title; those of an embed must. */
const fieldOf = (field: unknown): unknown =>
  isMembers(field) ? { name: given(field.title) ?? '\u200b', value: field.value, inline: field.short === true } : field;

const part = (name: string, main: unknown, more: Members = {}): Members =>
  given(main) === undefined ? {} : { [name]: { ...more, ...(isMembers(main) ? main : {}) } };

function embedOf(attachment: unknown): unknown {
  if (!isMembers(attachment)) return attachment;
  const { title, title_link, color, ts, footer, author_name, author_link, author_icon } = attachment;
  const [image, thumbnail] = [urlOf(attachment.image_url), urlOf(attachment.thumb_url)];
  const fields = given(attachment.fields);
  const description = descriptionOf(attachment);
  const shown = [title, description, footer, author_name, image, thumbnail].map(given);
  const hasFields = Array.isArray(fields) ? fields.length > 0 : fields !== undefined;
  if (!hasFields && shown.every((value) => value === undefined)) return undefined;
  return {
    ...{ title: given(title), description, url: urlOf(title_link), color: colorOf(color), timestamp: timeOf(ts) },
    ...part('footer', footer, { text: footer }),
    ...part('author', author_name, { name: author_name, url: urlOf(author_link), icon_url: urlOf(author_icon) }),
    ...part('image', image, { url: image }),
    ...part('thumbnail', thumbnail, { url: thumbnail }),
    fields: Array.isArray(fields) ? fields.map(fieldOf) : fields,
  };
}

/** The name that the sender knows for what a message calls otherwise. */
const theirs = (path: string): string => path.replace(/^content$/, 'text').replace(/^embeds/, 'attachments');

/**
 * A message from the body of an incoming webhook of Slack (webhooks.md section 6).
 * @throws Refusal FV(message_data: INVALID_MESSAGE_DATA), FV(text: CONTENT_EXCEEDS_MAX_LENGTH) and the like
 */
export function readSlack({ text, username, icon_url, attachments }: Members): MessageInput {
  const embeds = Array.isArray(attachments)
    ? attachments.map(embedOf).filter((embed) => embed !== undefined)
    : given(attachments);
  try {
    return readMessage({ content: text, username: username ?? undefined, avatar_url: urlOf(icon_url), embeds });
  } catch (error) {
    const { errors } =
      error instanceof Refusal ? (error.getResponse() as { errors?: { path: string; code: never }[] }) : {};
    if (!errors) throw error;
    throw new Refusal('INVALID_FORM_BODY', { errors: errors.map(({ path, code }) => fieldError(theirs(path), code)) });
  }
}
