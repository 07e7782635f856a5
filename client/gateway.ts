import type { components } from './api.js';

/** The WebSocket interface that browsers and Node have in common. */
export interface SocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
}

type DescribedEvents = components['schemas']['GatewayEvents'];

/** Event data by event name, as the service describes it. Extensions add their own events by declaration merging. */
export interface GatewayEvents extends DescribedEvents {}

/** The state of the connection. After `lost`, the client tries to reconnect. After `ended`, it does not. */
export type GatewayState =
  | { readonly state: 'connecting' | 'ready' }
  | { readonly state: 'lost'; readonly code: number; readonly retryMs: number }
  | { readonly state: 'ended'; readonly code: number; readonly reason: string };

/** Options of `Gateway`. */
export interface GatewayOptions {
  /** The value of `endpoints.gateway` in the discovery document. */
  readonly url: string;
  /** Returns the session or bot token as issued. Called at every Identify and Resume. */
  readonly token: () => string;
  readonly properties?: { os?: string; browser?: string; device?: string; mobile?: boolean };
  readonly ignoredEvents?: readonly string[];
  readonly shard?: readonly [id: number, count: number];
  readonly onState?: (state: GatewayState) => void;
  /** Node before version 22 has no WebSocket. Pass `WebSocket` of the package `ws` there. */
  readonly WebSocket?: new (
    url: string,
  ) => SocketLike;
}

interface Payload {
  readonly op: number;
  readonly d?: unknown;
  readonly s?: number;
  readonly t?: string;
}

const OP = { dispatch: 0, heartbeat: 1, identify: 2, resume: 6, reconnect: 7, invalidSession: 9, hello: 10, ack: 11 };
/** Close codes that mean "Do not retry unchanged" (gateway.md section 5). */
const FINAL: ReadonlySet<number> = new Set([4004, 4010, 4012]);
const [FIRST_MS, LONGEST_MS] = [1000, 30_000];

type Listener = (data: never) => void;

/**
 * A connection to the real-time gateway (gateway.md). It identifies, sends heartbeats, and resumes after the connection
 * was lost. No event is missed while the service keeps the session. After that, it identifies again.
 */
export class Gateway {
  private readonly listeners = new Map<string, Set<Listener>>();
  private socket: SocketLike | undefined;
  private session: { readonly id: string; readonly url: string } | undefined;
  private sequence: number | null = null;
  private beat: ReturnType<typeof setInterval> | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private isAcknowledged = true;
  private attempts = 0;
  private isClosed = false;

  constructor(private readonly options: GatewayOptions) {
    this.connect();
  }

  /** Registers a listener for the events of a name, or for all events with `*`. Returns a function that removes it. */
  on<Name extends keyof GatewayEvents>(name: Name, listener: (data: GatewayEvents[Name]) => void): () => void;
  on(name: '*', listener: (event: { name: string; data: unknown }) => void): () => void;
  on(name: string, listener: Listener): () => void {
    const own = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, own.add(listener));
    return () => void own.delete(listener);
  }

  /** Sends a command of an extension, by its name or its opcode (64 or higher). */
  send(command: number | string, d?: unknown): void {
    this.say(typeof command === 'number' ? { op: command, d } : { op: OP.dispatch, t: command, d });
  }

  /** Closes the connection permanently. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.retry);
    this.stopBeating();
    this.socket?.close(1000);
  }

  private connect(): void {
    this.options.onState?.({ state: 'connecting' });
    const Socket = this.options.WebSocket ?? (globalThis as { WebSocket?: new (url: string) => SocketLike }).WebSocket;
    if (!Socket) throw new TypeError('this runtime has no WebSocket: pass the one of the package ws');
    const socket = new Socket(this.session?.url ?? this.options.url);
    this.socket = socket;
    socket.onmessage = ({ data }: { data: unknown }) => this.take(JSON.parse(String(data)) as Payload);
    socket.onclose = ({ code, reason }: { code: number; reason: string }) => {
      if (this.socket === socket) this.left(code, reason);
    };
    socket.onerror = () => {};
  }

  private take({ op, d, s, t }: Payload): void {
    switch (op) {
      case OP.hello:
        this.startBeating((d as { heartbeat_interval: number }).heartbeat_interval);
        this.introduce();
        return;
      case OP.heartbeat:
        this.say({ op: OP.heartbeat, d: this.sequence });
        return;
      case OP.ack:
        this.isAcknowledged = true;
        return;
      case OP.reconnect:
        this.socket?.close(4000);
        return;
      case OP.invalidSession:
        this.forget();
        this.introduce();
        return;
      case OP.dispatch:
        if (s !== undefined) this.sequence = s;
        this.dispatch(t as string, d);
    }
  }

  private introduce(): void {
    const { token, properties, ignoredEvents, shard } = this.options;
    if (this.session) {
      this.say({ op: OP.resume, d: { token: token(), session_id: this.session.id, seq: this.sequence } });
      return;
    }
    const d = {
      token: token(),
      ...(properties ? { properties } : {}),
      ...(ignoredEvents ? { ignored_events: ignoredEvents } : {}),
      ...(shard ? { shard } : {}),
    };
    this.say({ op: OP.identify, d });
  }

  private dispatch(name: string, data: unknown): void {
    if (name === 'READY') {
      const ready = data as GatewayEvents['READY'];
      this.session = { id: ready.session_id, url: ready.resume_gateway_url };
    }
    if (name === 'READY' || name === 'RESUMED') {
      this.attempts = 0;
      this.options.onState?.({ state: 'ready' });
    }
    for (const listener of this.listeners.get(name) ?? []) listener(data as never);
    for (const listener of this.listeners.get('*') ?? []) listener({ name, data } as never);
  }

  private say(payload: object): void {
    this.socket?.send(JSON.stringify(payload));
  }

  /**
   * Sends the first heartbeat at a random time, so that clients that reconnect together do not send theirs together.
   */
  private startBeating(intervalMs: number): void {
    this.stopBeating();
    this.isAcknowledged = true;
    const next = (ms: number) => {
      this.beat = setTimeout(() => {
        if (!this.isAcknowledged) {
          this.socket?.close(4000);
          return;
        }
        this.isAcknowledged = false;
        this.say({ op: OP.heartbeat, d: this.sequence });
        next(intervalMs);
      }, ms);
    };
    next(intervalMs * Math.random());
  }

  private stopBeating(): void {
    clearTimeout(this.beat);
  }

  private forget(): void {
    this.session = undefined;
    this.sequence = null;
  }

  private left(code: number, reason: string): void {
    this.stopBeating();
    this.socket = undefined;
    if (this.isClosed || FINAL.has(code)) {
      this.isClosed = true;
      this.options.onState?.({ state: 'ended', code, reason });
      return;
    }
    // The service has rejected this sequence number, so the client must not resume with it again.
    if (code === 4007) this.forget();
    const retryMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.attempts) * (0.5 + Math.random() / 2);
    this.attempts++;
    this.options.onState?.({ state: 'lost', code, retryMs });
    this.retry = setTimeout(() => this.connect(), retryMs);
  }
}
