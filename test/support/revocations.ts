import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type App, basic } from './oauth.js';

/** An event of a stream of revocations. */
export interface StreamEvent {
  readonly event: string;
  /** The mark. */
  readonly id: string;
  readonly data: { readonly tags?: readonly string[] };
  /** When it arrived, in monotonic milliseconds. */
  readonly at: number;
}

/** A client of `GET /v1/decisions/revocations`. */
export class RevocationClient {
  readonly events: StreamEvent[] = [];
  isClosed = false;
  private text = '';
  private readonly waiting = new Set<() => void>();

  private constructor(
    private readonly req: ClientRequest,
    readonly res: IncomingMessage,
  ) {
    res.setEncoding('utf8');
    res.on('data', (chunk: string) => this.onText(chunk));
    const onEnd = () => {
      this.isClosed = true;
      this.notify();
    };
    res.on('end', onEnd).on('error', onEnd).on('close', onEnd);
  }

  /** Opens the stream. Rejects with the status if it is not 200. */
  static open(
    { url }: { readonly url: string },
    app: Pick<App, 'id' | 'secret'>,
    since?: string,
  ): Promise<RevocationClient> {
    const headers = {
      authorization: basic(app.id, app.secret ?? ''),
      ...(since !== undefined && { 'last-event-id': since }),
    };
    return new Promise((resolve, reject) => {
      const req = request(`${url}/v1/decisions/revocations`, { headers, agent: false }, (res) => {
        if (res.statusCode === 200) resolve(new RevocationClient(req, res));
        else {
          res.resume();
          reject(new Error(`status ${res.statusCode}`));
        }
      });
      req.on('error', reject).end();
    });
  }

  private onText(chunk: string): void {
    this.text += chunk;
    const blocks = this.text.split('\n\n');
    this.text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
      this.events.push({
        event: fields.get('event') ?? '',
        id: fields.get('id') ?? '',
        data: JSON.parse(fields.get('data') ?? '{}'),
        at: performance.now(),
      });
    }
    this.notify();
  }

  private notify(): void {
    for (const check of [...this.waiting]) check();
  }

  /** Waits until a condition is true after an event. */
  async until<T>(find: () => T | undefined | false, what: string, ms = 5000): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.waiting.delete(check);
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`no ${what} within ${ms} ms`));
      }, ms);
      const check = () => {
        const found = find();
        if (found === undefined || found === false) return;
        end();
        resolve(found);
      };
      this.waiting.add(check);
      check();
    });
  }

  /** Waits for an event of a kind, from the nth event on. */
  next(event: string, from = 0, ms?: number): Promise<StreamEvent> {
    return this.until(() => this.events.slice(from).find((one) => one.event === event), `event ${event}`, ms);
  }

  /** Waits for the revocation of one of these tags, from the nth event on. */
  revoked(tags: readonly string[], from = 0, ms?: number): Promise<StreamEvent> {
    const names = ({ event, data }: StreamEvent) => event === 'revoked' && data.tags?.some((tag) => tags.includes(tag));
    return this.until(() => this.events.slice(from).find(names), 'revocation of the tags', ms);
  }

  closed(ms?: number): Promise<true> {
    return this.until(() => this.isClosed || undefined, 'end of the stream', ms);
  }

  close(): void {
    this.req.destroy();
  }
}
