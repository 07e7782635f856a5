import { StringDecoder } from 'node:string_decoder';

export interface ServerSentEvent {
  /** `message` if the server named none. */
  readonly event: string;
  readonly data: string;
  /** The `id:` of this event. */
  readonly id: string | undefined;
}

/** An event may not be longer, in characters. */
const LONGEST = 16 * 1024 * 1024;

/** Reads a `text/event-stream` (HTML Living Standard, section 9.2.6). Also returns events without data. */
export class EventParser {
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';
  private fields = new Map<string, string>();

  /** @returns the events that end in this chunk. @throws Error if an event is too long */
  push(chunk: Buffer): ServerSentEvent[] {
    const lines = (this.rest + this.decoder.write(chunk)).split(/\r\n|\n|\r(?=[^\n])/);
    this.rest = lines.pop() ?? '';
    if (this.rest.length > LONGEST) throw new Error('An event of the stream is too long');
    return lines.flatMap((line) => this.read(line));
  }

  private read(line: string): ServerSentEvent[] {
    if (line !== '') {
      const [, name = line, value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      const former = this.fields.get(name);
      this.fields.set(name, name === 'data' && former !== undefined ? `${former}\n${value}` : value);
      return [];
    }
    const { fields } = this;
    this.fields = new Map();
    if (!fields.has('event') && !fields.has('data')) return [];
    return [{ event: fields.get('event') ?? 'message', data: fields.get('data') ?? '', id: fields.get('id') }];
  }
}
