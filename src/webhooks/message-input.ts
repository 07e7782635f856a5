import { ApiError, type FieldCode, type FieldFault, fieldError, validationError } from '../core/errors.js';
import { countCodePoints, isText } from '../core/text/text.js';

/** Limits of a message (webhooks.md 4.1). */
export const MESSAGE_LIMITS = { content: 4000, embeds: 10, files: 10, fileBytes: 25 * 1024 * 1024 } as const;

const EMBED_TEXT = 6000;
const EMBED_FIELDS = 25;
export const URL_LENGTH = 2048;
/** The allowed flags: suppress embeds and suppress notifications. */
const FLAGS = (1 << 2) | (1 << 12);

export type Embed = Readonly<Record<string, unknown>>;
export type Nonce = string | number;

/** The file name that the sender chose for part `files[id]`. */
export interface FileLabel {
  readonly id: number;
  readonly filename?: string;
}

/** A webhook message, as `readMessage` reads it from a body. */
export interface MessageInput {
  readonly content: string;
  readonly embeds: readonly Embed[];
  readonly username: string | null;
  readonly avatarUrl: string | null;
  readonly flags: number;
  readonly nonce: Nonce | null;
  readonly attachments: readonly FileLabel[];
}

export type MessageEdit = Partial<Pick<MessageInput, 'content' | 'embeds' | 'flags'>>;

export type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Removes members that are `undefined`. */
const present = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

export const isHttpUrl = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);

/** True if a member is missing or `null`. */
const isNone = (value: unknown): value is null | undefined => value === undefined || value === null;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Converts an ISO 8601 time to UTC. Returns `undefined` for invalid times such as February 30. */
function timeOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !TIME.test(value)) return undefined;
  const [date, time] = [new Date(value.slice(0, 10)), new Date(value)];
  if (Number.isNaN(date.getTime()) || Number.isNaN(time.getTime())) return undefined;
  if (!date.toISOString().startsWith(value.slice(0, 10))) return undefined;
  const text = time.toISOString();
  return /^\d{4}-/.test(text) ? text : undefined;
}

/**
 * Reads the members of a message. Any number of members with a wrong type or form produce one error; all exceeded
 * limits are listed (webhooks.md 4.3).
 */
class MessageReader {
  private isMalformed = false;
  private readonly limits: FieldFault[] = [];
  private embedText = 0;

  finish(limits: readonly FieldFault[] = []): void {
    this.limits.push(...limits);
    if (this.isMalformed) throw validationError('message_data', 'INVALID_MESSAGE_DATA');
    if (this.limits.length > 0) throw new ApiError('INVALID_FORM_BODY', { errors: this.limits.slice(0, 100) });
  }

  malformed(): undefined {
    this.isMalformed = true;
  }

  private exceeded(path: string, code: FieldCode = 'CONTENT_EXCEEDS_MAX_LENGTH'): void {
    if (!this.limits.some((limit) => limit.path === path && limit.code === code)) {
      this.limits.push(fieldError(path, code));
    }
  }

  /** Text of at most `max` code points. Returns `undefined` if it is missing. */
  text(value: unknown, path: string, { max, min = 0 }: { max: number; min?: number }): string | undefined {
    if (isNone(value)) return undefined;
    if (!isText(value)) return this.malformed();
    const length = countCodePoints(value);
    if (length < min) return this.malformed();
    if (length > max) this.exceeded(path);
    return value;
  }

  url(value: unknown, path: string): string | undefined {
    const text = this.text(value, path, { max: URL_LENGTH });
    return text === undefined || isHttpUrl(text) ? text : this.malformed();
  }

  int(value: unknown, max: number): number | undefined {
    if (isNone(value)) return undefined;
    return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max
      ? (value as number)
      : this.malformed();
  }

  flags(value: unknown): number | undefined {
    const flags = this.int(value, Number.MAX_SAFE_INTEGER);
    return flags === undefined ? undefined : Number(BigInt(flags) & BigInt(FLAGS));
  }

  nonce(value: unknown): Nonce | null {
    if (typeof value === 'number') return this.int(value, Number.MAX_SAFE_INTEGER) ?? null;
    return this.text(value, 'nonce', { min: 1, max: 32 }) ?? null;
  }

  labels(value: unknown): FileLabel[] {
    if (isNone(value)) return [];
    if (!Array.isArray(value)) {
      this.malformed();
      return [];
    }
    return value.flatMap((label): FileLabel[] => {
      const id = isMembers(label) ? this.int(label.id, Number.MAX_SAFE_INTEGER) : undefined;
      const filename = isMembers(label) ? this.text(label.filename, 'attachments', { max: 1024 }) : undefined;
      if (id === undefined) this.malformed();
      return id === undefined ? [] : [filename === undefined ? { id } : { id, filename }];
    });
  }

  embeds(value: unknown): Embed[] | undefined {
    if (value === undefined) return undefined;
    if (value === null) return [];
    if (!Array.isArray(value)) return this.malformed();
    if (value.length > MESSAGE_LIMITS.embeds) this.exceeded('embeds', 'TOO_MANY_EMBEDS');
    const embeds = value.map((embed, index) => this.embed(embed, `embeds.${index}`));
    if (this.embedText > EMBED_TEXT) this.exceeded('embeds');
    return embeds;
  }

  private embed(value: unknown, path: string): Embed {
    const given = this.members(value) ?? {};
    const embed = present({
      title: this.countedText(given.title, `${path}.title`, 256),
      description: this.countedText(given.description, `${path}.description`, 4096),
      url: this.url(given.url, `${path}.url`),
      color: this.int(given.color, 0xffffff),
      timestamp: this.time(given.timestamp),
      footer: this.part(given.footer, (footer) => ({
        text: this.countedText(footer.text, `${path}.footer.text`, 2048),
        icon_url: this.url(footer.icon_url, `${path}.footer.icon_url`),
      })),
      author: this.part(given.author, (author) => ({
        name: this.countedText(author.name, `${path}.author.name`, 256),
        url: this.url(author.url, `${path}.author.url`),
        icon_url: this.url(author.icon_url, `${path}.author.icon_url`),
      })),
      image: this.picture(given.image, `${path}.image`),
      thumbnail: this.picture(given.thumbnail, `${path}.thumbnail`),
      fields: this.fields(given.fields, `${path}.fields`),
    });
    if (!isVisible(embed)) this.malformed();
    return embed;
  }

  private members(value: unknown): Members | undefined {
    return isMembers(value) ? value : this.malformed();
  }

  /** Text that counts toward the total length of all embeds. */
  private countedText(value: unknown, path: string, max: number, min = 0): string | undefined {
    const text = this.text(value, path, { max, min });
    this.embedText += countCodePoints(text ?? '');
    return text;
  }

  private time(value: unknown): string | undefined {
    return isNone(value) ? undefined : (timeOf(value) ?? this.malformed());
  }

  private part(value: unknown, read: (part: Members) => Members): Members | undefined {
    if (isNone(value)) return undefined;
    const part = this.members(value);
    return part && present(read(part));
  }

  private picture(value: unknown, path: string): Members | undefined {
    if (isMembers(value) && value.url === null) return undefined;
    return this.part(value, ({ url }) => {
      if (url === undefined) this.malformed();
      return { url: this.url(url, `${path}.url`) };
    });
  }

  private fields(value: unknown, path: string): Members[] | undefined {
    if (isNone(value)) return undefined;
    if (!Array.isArray(value)) return this.malformed();
    if (value.length > EMBED_FIELDS) this.exceeded(path, 'INVALID_FORMAT');
    return value.map((field, index) => {
      const { name, value: text, inline } = this.members(field) ?? {};
      if (isNone(name) || isNone(text)) this.malformed();
      if (!isNone(inline) && typeof inline !== 'boolean') this.malformed();
      return {
        name: this.countedText(name, `${path}.${index}.name`, 256, 1),
        value: this.countedText(text, `${path}.${index}.value`, 1024, 1),
        inline: inline === true,
      };
    });
  }
}

/** True if an embed has visible content. */
function isVisible({ title, description, footer, author, image, thumbnail, fields }: Embed): boolean {
  const texts = [title, description, (footer as Members)?.text, (author as Members)?.name];
  return Boolean(image || thumbnail || (fields as unknown[])?.length || texts.some((text) => text));
}

/**
 * Reads a message from a body. `limits` are the exceeded limits of its files.
 * @throws ApiError FV(message_data: INVALID_MESSAGE_DATA), or one error for each exceeded limit
 */
export function readMessage(body: Members, limits: readonly FieldFault[] = []): MessageInput {
  const reading = new MessageReader();
  const embeds = body.embeds === undefined && !isNone(body.embed) ? [body.embed] : body.embeds;
  const message: MessageInput = {
    content: reading.text(body.content, 'content', { max: MESSAGE_LIMITS.content }) ?? '',
    embeds: reading.embeds(embeds) ?? [],
    username: reading.text(body.username, 'username', { min: 1, max: 80 }) ?? null,
    avatarUrl: reading.url(body.avatar_url, 'avatar_url') ?? null,
    flags: reading.flags(body.flags) ?? 0,
    nonce: reading.nonce(body.nonce),
    attachments: reading.labels(body.attachments),
  };
  reading.finish(limits);
  return message;
}

/**
 * Reads the members of an edit that are present.
 * @throws ApiError like `readMessage`
 */
export function readEdit(body: Members): MessageEdit {
  const reading = new MessageReader();
  const content = body.content === null ? '' : reading.text(body.content, 'content', { max: MESSAGE_LIMITS.content });
  const embeds = reading.embeds(body.embeds);
  const flags = reading.flags(body.flags);
  reading.finish();
  return {
    ...(content === undefined ? {} : { content }),
    ...(embeds === undefined ? {} : { embeds }),
    ...(flags === undefined ? {} : { flags }),
  };
}
