import { WebSocket } from 'ws';
import type { ServiceEndpoint } from '../support/gatehouse.js';
import type { Payload } from '../support/gateway-client.js';

/**
 * A gateway client that reconnects and resumes its session on one of the replicas whenever its socket closes. It
 * records the events that it receives.
 */
export class ResumingClient {
  /** Received dispatches in order, each with its sequence number. */
  readonly seen: Payload[] = [];
  /** The number of invalidated sessions and of resumes, and how often its sockets closed with each code. */
  invalidations = 0;
  /** How many dispatches it had received when each of its sessions was invalidated. */
  readonly invalidatedAt: number[] = [];
  resumes = 0;
  readonly ends = new Map<number, number>();
  sessionId = '';
  /** Whether its current socket is attached to its session. */
  isAttached = false;
  private last = 0;
  private socket: WebSocket | undefined;
  private isOver = false;

  constructor(
    public token: string,
    private readonly replicaFor: () => ServiceEndpoint,
    private readonly ignored: readonly string[] = [],
  ) {}

  /** Connects and waits until it has a session. */
  async start(): Promise<void> {
    this.connect();
    while (this.sessionId === '') await new Promise((resolve) => setTimeout(resolve, 5));
  }

  private connect(): void {
    if (this.isOver) return;
    const socket = new WebSocket(`${this.replicaFor().url.replace('http', 'ws')}/gateway`);
    this.socket = socket;
    this.isAttached = false;
    socket.on('message', (data) => this.take(socket, JSON.parse(String(data))));
    socket.on('error', () => {});
    socket.on('close', (code) => {
      this.ends.set(code, (this.ends.get(code) ?? 0) + 1);
      if (this.socket === socket) setTimeout(() => this.connect(), 20);
    });
  }

  private take(socket: WebSocket, { op, d, s, t }: Payload): void {
    const { token, sessionId: session_id, last: seq, ignored: ignored_events } = this;
    if (op === 10 && session_id) socket.send(JSON.stringify({ op: 6, d: { token, session_id, seq } }));
    else if (op === 10) socket.send(JSON.stringify({ op: 2, d: { token, ignored_events } }));
    else if (op === 9) {
      this.invalidations++;
      this.invalidatedAt.push(this.seen.length);
      this.sessionId = '';
      socket.terminate();
    } else if (op === 0) {
      if (t === 'READY') this.sessionId = d.session_id;
      else if (t === 'RESUMED') this.resumes++;
      else this.seen.push({ op, d, t, ...(s === undefined ? {} : { s }) });
      this.last = s ?? this.last;
      if (socket === this.socket) this.isAttached = true;
    }
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Terminates the connection. The client then resumes on one of the replicas. */
  drop(): void {
    this.socket?.terminate();
  }

  close(): void {
    this.isOver = true;
    this.socket?.terminate();
  }

  /** Sequence numbers that were repeated or out of order. */
  get repeated(): number[] {
    const sequences = this.seen.flatMap(({ s }) => s ?? []);
    return sequences.filter((s, index) => index > 0 && s <= (sequences[index - 1] ?? 0));
  }
}
