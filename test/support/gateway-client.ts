import { WebSocket } from 'ws';
import { MetricsReader } from '../../src/core/metrics.js';
import { Gateway } from '../../src/gateway/gateway.service.js';
import { Database } from '../../src/platform/database/database.js';
import { assertDescribedEvent } from './described-events.js';
import type { Gatehouse } from './gatehouse.js';
import { WAIT_TIMEOUT_MS } from './timeouts.js';

/** A message of the gateway. */
export interface Payload {
  readonly op: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read data of many shapes and assert each of them
  readonly d?: any;
  readonly s?: number;
  readonly t?: string;
}

function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no ${what} within ${WAIT_TIMEOUT_MS} ms`)), WAIT_TIMEOUT_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A plain WebSocket client that exposes every message and the close of its connection. */
export class GatewayClient {
  readonly received: Payload[] = [];
  private read = 0;
  private wake: () => void = () => {};
  private readonly end: Promise<[code: number, reason: string]>;

  private constructor(
    private readonly service: Gatehouse,
    readonly socket: WebSocket,
  ) {
    socket.on('message', (data) => {
      this.service.frames.push(String(data));
      this.received.push(JSON.parse(String(data)));
      this.wake();
    });
    this.end = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        resolve([code, String(reason)]);
        this.wake();
      });
    });
    socket.on('error', () => {});
  }

  /** Opens a socket without sending anything. */
  static async open(service: Gatehouse, query = '', headers: Record<string, string> = {}): Promise<GatewayClient> {
    const url = `ws://127.0.0.1:${service.port}/gateway${query}`;
    const client = new GatewayClient(service, new WebSocket(url, { headers, perMessageDeflate: true }));
    await within(new Promise((resolve) => client.socket.once('open', resolve)), 'connection');
    return client;
  }

  /** Opens a socket and receives Hello. */
  static async connect(service: Gatehouse): Promise<GatewayClient> {
    const client = await GatewayClient.open(service);
    const hello = await client.next();
    if (hello.op !== 10) throw new Error(`expected Hello, got op ${hello.op}`);
    return client;
  }

  /** Opens a socket and starts a session. Returns the data of READY as `ready`. */
  static async identify(service: Gatehouse, token: string, more: object = {}) {
    const client = await GatewayClient.connect(service);
    client.send({ op: 2, d: { token, ...more } });
    const { d: ready } = await client.event('READY');
    return { client, ready };
  }

  send(payload: object | string | Buffer): void {
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
    this.socket.send(isText ? (payload as string) : JSON.stringify(payload));
  }

  resume(token: string, sessionId: string, seq: number): void {
    this.send({ op: 6, d: { token, session_id: sessionId, seq } });
  }

  /** The next unread message. */
  next(): Promise<Payload> {
    return within(this.take(), 'message');
  }

  private async take(): Promise<Payload> {
    for (;;) {
      const message = this.received[this.read];
      if (message) {
        this.read++;
        if (message.op === 0) await assertDescribedEvent(this.service.app, message);
        return message;
      }
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error(`closed: ${await this.end}`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** The next dispatch of a type. Skips other messages. */
  async event(type: string): Promise<Payload> {
    for (;;) {
      const message = await this.next();
      if (message.op === 0 && message.t === type) return message;
    }
  }

  /** The next message with an opcode. Skips other messages. */
  async op(op: number): Promise<Payload> {
    for (;;) {
      const message = await this.next();
      if (message.op === op) return message;
    }
  }

  /** Sends a heartbeat and waits for its acknowledgment. Everything that was sent before has then been handled. */
  async sendHeartbeat(d?: unknown): Promise<void> {
    this.send({ op: 1, d });
    await this.op(11);
  }

  /**
   * Waits until everything that the gateway has sent so far has arrived. A ping is enough for that and does not count
   * as a heartbeat.
   */
  async drain(): Promise<Payload[]> {
    const pong = new Promise((resolve) => this.socket.once('pong', resolve));
    this.socket.ping();
    await within(Promise.race([pong, this.end]), 'pong');
    return this.received.slice(this.read);
  }

  /** The close code and reason of the gateway. */
  closed(): Promise<[code: number, reason: string]> {
    return within(this.end, 'close');
  }

  /** Disconnects without a close frame, and waits until the gateway has detected it. */
  async terminate(): Promise<void> {
    const before = await this.openSockets();
    this.socket.terminate();
    await this.end;
    const gone = async () => {
      while ((await this.openSockets()) >= before) await new Promise((resolve) => setImmediate(resolve));
    };
    await within(gone(), 'end of the socket');
  }

  private openSockets(): Promise<number> {
    return this.service.app.get(MetricsReader).total('gatehouse_gateway_sockets');
  }
}

/** Makes the gateway check the clock now instead of at its next tick. */
export const checkGatewayClock = (service: Gatehouse): void => service.app.get(Gateway).tick();

/** Moves the clock and makes the gateway check it. */
export function advanceGateway(service: Gatehouse, seconds: number): void {
  service.clock.advance({ seconds });
  checkGatewayClock(service);
}

/** Blocks all credential lookups until the returned function is called. */
export async function blockLookups(service: Gatehouse): Promise<() => Promise<void>> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let blocking: Promise<void> | undefined;
  await new Promise<void>((isLocked) => {
    blocking = service.app.get(Database).transaction(async (tx) => {
      await tx.query('LOCK TABLE session IN ACCESS EXCLUSIVE MODE');
      isLocked();
      await held;
    });
  });
  return async () => {
    release();
    await blocking;
  };
}
