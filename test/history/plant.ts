import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Replica } from './cluster.js';

export type Fault =
  /** Repeats successful responses to reads for five seconds. */
  | 'cache'
  /** Repeats successful responses to personal access tokens for five seconds. */
  | 'cached access tokens'
  /** Accepts a valid client secret for five more seconds, even if it is revoked in the meantime. */
  | 'remembered client'
  /** Accepts a code again if it has proven the identity of the account here before. */
  | 'second use of a code'
  /** Accepts a secret again at any time if it was redeemed here before. */
  | 'second redemption'
  /** Acknowledges changes of the profile and discards them. */
  | 'lost write'
  /** Keeps sockets open whose session has started, even if the service closes them. */
  | 'deaf sockets'
  /** Repeats the first key set forever. */
  | 'old key set'
  /** Does not resend missed events when a session resumes. */
  | 'lost replay'
  /** Accepts reports of leaks and discards them. */
  | 'discarded leak reports'
  /** Acknowledges the deletion of a bot token and discards it. */
  | 'kept bot tokens'
  /** Rejects all tokens of a bot after the deletion of one of them. */
  | 'bot tokens that end together';

const CACHED_MS = 5000;
const REDEMPTIONS = ['/v1/oauth2/token', '/v1/auth/verify', '/v1/auth/reset'];
const PROVEN = '/v1/auth/sessions/logout';
const KEY_SET = '/.well-known/jwks.json';
const LEAKS = '/v1/credentials/revoke';
const BOT_TOKEN = /\/applications\/(\d+)\/bot\/tokens\/\d+$/;
const INTROSPECTION = '/v1/oauth2/introspect';

interface Kept {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
  readonly at: number;
}

const ANSWERED = { type: 'application/json', body: Buffer.from('{}'), at: 0 };

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Filters the data of a server: drops events that are sent before a session has started or resumed. */
class Replay {
  private rest = Buffer.alloc(0);
  private isUpgraded = false;
  private isOver = false;

  taken(chunk: Buffer): Buffer {
    this.rest = Buffer.concat([this.rest, chunk]);
    const passed: Buffer[] = [];
    if (!this.isUpgraded) {
      const head = this.rest.indexOf('\r\n\r\n');
      if (head < 0) return Buffer.alloc(0);
      this.isUpgraded = true;
      passed.push(this.take(head + 4));
    }
    for (let size = frameSize(this.rest); size <= this.rest.length; size = frameSize(this.rest)) {
      const frame = this.take(size);
      this.isOver ||= frame.includes('"t":"READY"') || frame.includes('"t":"RESUMED"');
      if (this.isOver || !frame.includes('"op":0')) passed.push(frame);
    }
    return Buffer.concat(passed);
  }

  private take(size: number): Buffer {
    const taken = this.rest.subarray(0, size);
    this.rest = this.rest.subarray(size);
    return taken;
  }
}

/**
 * The length of the frame at the start of these bytes (RFC 6455 section 5.2, unmasked), or infinity if it is unknown.
 */
function frameSize(bytes: Buffer): number {
  const length = (bytes[1] ?? 0) & 127;
  if (bytes.length < 2 || (length > 125 && bytes.length < 10)) return Number.POSITIVE_INFINITY;
  if (length === 126) return 4 + bytes.readUInt16BE(2);
  return length === 127 ? 10 + Number(bytes.readBigUInt64BE(2)) : 2 + length;
}

const NOTHING = Buffer.alloc(0);

/** A proxy in front of a replica that adds faults to it. */
export class Plant {
  private readonly kept = new Map<string, Kept>();
  private readonly sockets = new Set<Socket>();
  /** Applications of which a bot token was deleted. */
  private readonly bots = new Set<string>();
  private readonly server = createServer((req, res) => void this.answer(req, res));

  faults: ReadonlySet<Fault> = new Set();

  private constructor(
    private readonly replica: Replica,
    private readonly target: string,
  ) {
    this.server.on('connection', (socket) => this.sockets.add(socket));
    this.server.on('upgrade', (req, near: Socket) => {
      const { port } = new URL(target);
      const far = connect(Number(port), '127.0.0.1');
      const lines = [`GET ${req.url} HTTP/1.1`];
      for (let at = 0; at < req.rawHeaders.length; at += 2)
        lines.push(`${req.rawHeaders[at]}: ${req.rawHeaders[at + 1]}`);
      far.write(`${lines.join('\r\n')}\r\n\r\n`);
      near.on('error', () => far.destroy()).on('close', () => far.destroy());
      near.pipe(far);
      far.on('error', () => {});
      let isDeaf = false;
      const replay = new Replay();
      far.on('data', (chunk) => {
        isDeaf ||= this.faults.has('deaf sockets') && chunk.includes('"t":"READY"');
        if (isDeaf && isClose(chunk)) return;
        near.write(this.faults.has('lost replay') ? replay.taken(chunk) : chunk);
      });
      far.on('close', () => isDeaf || near.destroy());
    });
  }

  static async before(replica: Replica): Promise<Plant> {
    const plant = new Plant(replica, replica.url);
    plant.server.listen(0, '127.0.0.1');
    await once(plant.server, 'listening');
    replica.front = `http://127.0.0.1:${(plant.server.address() as AddressInfo).port}`;
    return plant;
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const { status, type, body } = await this.answered(req, await read(req));
      res.writeHead(status, { ...(type && { 'content-type': type }), 'content-length': body.length }).end(body);
    } catch {
      res.destroy();
    }
  }

  private async answered(req: IncomingMessage, body: Buffer): Promise<Kept> {
    const { method, url = '', headers } = req;
    const key = [method, url, headers.authorization, headers['x-forwarded-for'], body.toString()].join('\n');
    const known = this.kept.get(key);
    const isFresh = known && performance.now() < known.at + CACHED_MS;
    const isPersonal = headers.authorization?.startsWith('Bearer gp_');
    const { faults } = this;
    if (faults.has('cache') && method === 'GET' && isFresh && !isPersonal) return known;
    if (faults.has('cached access tokens') && isFresh && isPersonal) return known;
    if (faults.has('remembered client') && url === INTROSPECTION && isFresh) return known;
    if (faults.has('second use of a code') && url === PROVEN && known) return known;
    if (faults.has('second redemption') && known && REDEMPTIONS.includes(url)) return known;
    if (faults.has('old key set') && url === KEY_SET && known) return known;
    if (faults.has('discarded leak reports') && url === LEAKS) return { ...ANSWERED, status: 202 };
    const [, bot] = (method === 'DELETE' && BOT_TOKEN.exec(url)) || [];
    if (faults.has('kept bot tokens') && bot) return { ...ANSWERED, status: 204, body: NOTHING };
    if (faults.has('bot tokens that end together')) {
      if (bot) this.bots.add(bot);
      const [, presented = ''] = /^Bot (\d+)\./.exec(headers.authorization ?? '') ?? [];
      if (this.bots.has(presented)) return { ...ANSWERED, status: 401 };
    }
    const isChange = method === 'PATCH' && url === '/v1/users/@me' && body.includes('"bio"');
    if (faults.has('lost write') && isChange) return this.asked(req, 'GET', NOTHING);
    const response = await this.asked(req, method, body);
    if (response.status < 300) this.kept.set(key, response);
    return response;
  }

  private async asked({ url, headers }: IncomingMessage, method: string | undefined, body: Buffer): Promise<Kept> {
    const { 'content-length': _, ...others } = headers;
    const length = body.length > 0 ? { 'content-length': body.length } : {};
    const onward = request(`${this.target}${url}`, { method, headers: { ...others, ...length }, agent: false });
    onward.end(body);
    const [response] = (await once(onward, 'response')) as [IncomingMessage];
    const { statusCode: status = 502 } = response;
    return { status, type: response.headers['content-type'] ?? '', body: await read(response), at: performance.now() };
  }

  close(): void {
    this.replica.front = undefined;
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

/** Whether this is a close frame (RFC 6455 section 5.5.1). */
const isClose = (chunk: Buffer): boolean => chunk[0] === 0x88;
