import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { type ApiError, type FieldFault, fieldError, validationError } from '../core/errors.js';
import { JSON_LIMIT, parseJson } from '../http/body.js';
import { MESSAGE_LIMITS } from './message-input.js';

/** A part `files[index]` that is being read. */
export interface FilePart {
  readonly index: number;
  /** The file name from the form. */
  readonly filename: string | undefined;
  readonly bytes: Readable;
}

/** All parts of a form except files. */
export interface FormMembers {
  readonly members: Record<string, unknown>;
  readonly limits: FieldFault[];
}

const MAX_PARTS = 64;
const MAX_BOUNDARY = 70;
const FILE_NAME = /^files\[(\d)\]$/;

export const malformedForm = (): ApiError => validationError('files', 'FAILED_TO_PARSE_MULTIPART_FORM_DATA');

function parserFor(headers: IncomingHttpHeaders): busboy.Busboy {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(headers['content-type'] ?? '') ?? [];
  if ((quoted ?? plain ?? '').length > MAX_BOUNDARY) throw malformedForm();
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      preservePath: true,
      limits: { parts: MAX_PARTS, fieldSize: JSON_LIMIT + 1, fieldNameSize: 100, headerPairs: 20 },
    });
  } catch {
    throw malformedForm();
  }
}

/** Parses a plain field as an integer. Other values are validated later. */
const parseWholeNumber = (text: string): unknown => (/^\d{1,16}$/.test(text) ? Number(text) : text);

/** Collects the parts of a form (webhooks.md 4.1). If the form is rejected, the caller drops the rest of the body. */
class FormReader {
  private payload: string | undefined;
  private readonly fields: Record<string, unknown> = {};
  private readonly limits: FieldFault[] = [];
  private readonly indexes = new Set<number>();
  private readonly writing: Promise<void>[] = [];

  constructor(
    private readonly write: (part: FilePart) => Promise<void>,
    private readonly stop: (error: unknown) => void,
  ) {}

  limit(path: string, code: FieldFault['code']): void {
    if (!this.limits.some((limit) => limit.path === path)) this.limits.push(fieldError(path, code));
  }

  field(name: string, value: string): void {
    if (name === 'payload_json') {
      if (Buffer.byteLength(value) > JSON_LIMIT) this.limit('payload_json', 'CONTENT_EXCEEDS_MAX_LENGTH');
      else this.payload = value;
    } else if (name === 'flags') this.fields.flags = parseWholeNumber(value);
    else if (name === 'content' || name === 'nonce') this.fields[name] = value;
  }

  file(name: string, bytes: Readable, filename: string | undefined): void {
    // Ignore errors, because the stream also ends when the form is rejected.
    bytes.on('error', () => {});
    const index = FILE_NAME.exec(name)?.[1];
    if (this.indexes.size >= MESSAGE_LIMITS.files) {
      this.limit('files', 'TOO_MANY_FILES');
      bytes.resume();
    } else if (filename?.isWellFormed() === false) this.stop(malformedForm());
    else if (index === undefined) this.stop(validationError('files', 'INVALID_FILE_FIELD_NAME'));
    else if (this.indexes.has(Number(index))) this.stop(validationError('files', 'DUPLICATE_FILE_INDEX'));
    else {
      this.indexes.add(Number(index));
      this.writing.push(this.write({ index: Number(index), filename, bytes }).catch((error) => this.stop(error)));
    }
  }

  /** Waits until no file is being written. */
  async waitUntilWritten(): Promise<void> {
    await Promise.all(this.writing);
  }

  finish(): FormMembers {
    return { members: { ...this.parsed(), ...this.fields }, limits: this.limits };
  }

  private parsed(): Record<string, unknown> {
    try {
      return this.payload === undefined || this.payload.trim() === '' ? {} : parseJson(Buffer.from(this.payload));
    } catch {
      throw validationError('payload_json', 'INVALID_JSON_IN_PAYLOAD_JSON');
    }
  }
}

/**
 * Reads the form in `body`. Files are passed to `write` one at a time as they arrive. No file is being written after
 * this settles.
 * @throws ApiError FV(files: ...), FV(payload_json: ...), and errors of `body` and `write`
 */
export async function readForm(
  headers: IncomingHttpHeaders,
  body: Readable,
  write: (part: FilePart) => Promise<void>,
): Promise<FormMembers> {
  const parser = parserFor(headers);
  let stop: (error: unknown) => void = () => {};
  const reading = new FormReader(write, (error) => stop(error));
  try {
    await new Promise<void>((resolve, reject) => {
      stop = reject;
      body.once('error', reject);
      parser
        .on('file', (name, bytes, { filename }) => reading.file(name, bytes, filename))
        .on('field', (name, value) => reading.field(name, value))
        .once('partsLimit', () => reject(malformedForm()))
        .on('error', () => reject(malformedForm()))
        .once('close', () => reading.waitUntilWritten().then(resolve, reject));
      body.pipe(parser);
    });
    return reading.finish();
  } catch (error) {
    body.unpipe(parser);
    parser.destroy();
    await reading.waitUntilWritten();
    throw error;
  }
}
