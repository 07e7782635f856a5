import { ApiError, fieldError, fieldErrorsOf } from '../core/errors.js';
import { isHttpUrl, type Members, type MessageInput, readMessage, URL_LENGTH } from './message-input.js';

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces missing text where an embed requires it. */
const PLACEHOLDER_TEXT = '\u200b';

/** Returns a URL if a message may contain it; other URLs are dropped. */
const urlOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= URL_LENGTH && isHttpUrl(value) ? value : undefined;

/** Normalizes a member: `null` and empty text count as missing, and numbers and booleans become text. */
function normalizeMember(value: unknown): unknown {
  if (value === null || value === '') return undefined;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

/**
 * Returns the objects of a list. Scalars count as missing. Other values are returned unchanged, so that they are
 * rejected later.
 */
function elementsOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? value.filter((element) => typeof element === 'object' && element !== null) : value;
}

/** Parses six hexadecimal digits, with or without `#`. */
function colorOf(value: unknown): number | undefined {
  const [, digits] = /^#?([0-9a-f]{6})$/i.exec(typeof value === 'string' ? value : '') ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

/** Parses Unix time in seconds, as a number or as text, with or without a fraction. */
function timeOf(value: unknown): string | undefined {
  const seconds = typeof value === 'string' && /^\d{1,12}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !(seconds >= 0) || seconds > 253_402_300_799) return undefined;
  return new Date(Math.floor(seconds * 1000)).toISOString();
}

/**
 * Returns `pretext` and `text` on two lines, otherwise `fallback`. Invalid values are returned unchanged, so that they
 * are rejected later.
 */
function descriptionOf({ pretext, text, fallback }: Members): unknown {
  const lines = [pretext, text].map(normalizeMember).filter(present);
  const odd = lines.find((line) => typeof line !== 'string');
  if (odd !== undefined) return odd;
  return lines.length > 0 ? lines.join('\n') : normalizeMember(fallback);
}

/** Fields in Slack may lack a title or a value; fields of embeds must have both. */
function fieldOf(field: unknown): unknown {
  if (!isMembers(field)) return field;
  const [name, value] = [normalizeMember(field.title), normalizeMember(field.value)];
  if (name === undefined && value === undefined) return undefined;
  return { name: name ?? PLACEHOLDER_TEXT, value: value ?? PLACEHOLDER_TEXT, inline: field.short === true };
}

const present = (value: unknown): boolean => value !== undefined;

function embedOf(attachment: unknown): unknown {
  if (!isMembers(attachment)) return attachment;
  const [title, footer, author] = [attachment.title, attachment.footer, attachment.author_name].map(normalizeMember);
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

/** Translates a path in an error to the member names of Slack. */
const toSlackPath = (path: string): string => path.replace(/^content$/, 'text').replace(/^embeds/, 'attachments');

/**
 * Creates a message from a Slack webhook body (webhooks.md section 6).
 * @throws ApiError FV(message_data: INVALID_MESSAGE_DATA), FV(text: CONTENT_EXCEEDS_MAX_LENGTH) and similar
 */
export function readSlack({ text, username, icon_url, attachments }: Members): MessageInput {
  const elements = elementsOf(attachments);
  const embeds = Array.isArray(elements) ? elements.map(embedOf).filter(present) : elements;
  try {
    return readMessage({
      content: normalizeMember(text),
      username: normalizeMember(username),
      avatar_url: urlOf(icon_url),
      embeds,
    });
  } catch (error) {
    const errors = fieldErrorsOf(error);
    if (errors.length === 0) throw error;
    throw new ApiError('INVALID_FORM_BODY', {
      errors: errors.map(({ path, code }) => fieldError(toSlackPath(path), code)),
    });
  }
}
