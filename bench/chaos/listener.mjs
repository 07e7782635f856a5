import { WebSocket } from 'ws';

const BEAT_MS = 4000;
const SILENT_MS = 12_000;
const AGAIN_MS = 250;
/** How long a session is kept after its socket closes. */
const RETAINED_MS = 60_000;

/** A permanent client of the gateway. When its socket closes, it resumes its session at one of the replicas. */
export class Listener {
  /** IDs of the received messages, in order. */
  seen = [];
  /** For each session that ended although its client came back in time: how long the client was away, in seconds. */
  invalidated = [];
  /** The last message before and the first one after a session that ended because its client was away for too long. */
  gaps = [];
  #awaySince = 0;
  resumes = 0;
  /** The URL of its current replica. */
  url = '';
  /** Number of dispatches whose sequence number was repeated or went back. */
  repeated = 0;
  #last = 0;
  #sessionId = '';
  #socket;
  #isOver = false;
  #heardAt = 0;

  constructor(token, urlOf, address) {
    this.token = token;
    this.urlOf = urlOf;
    this.address = address;
    this.beat = setInterval(() => this.#beat(), BEAT_MS);
    this.#connect();
  }

  get isAttached() {
    return this.#sessionId !== '' && this.#socket.readyState === WebSocket.OPEN;
  }

  #connect() {
    if (this.#isOver) return;
    this.url = this.urlOf();
    const socket = new WebSocket(`${this.url.replace('http', 'ws')}/gateway`, {
      handshakeTimeout: 5000,
      headers: { 'x-forwarded-for': this.address },
    });
    this.#socket = socket;
    this.#heardAt = performance.now();
    socket.on('message', (data) => this.#take(socket, JSON.parse(String(data))));
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#awaySince === 0) this.#awaySince = performance.now();
      setTimeout(() => this.#connect(), AGAIN_MS);
    });
  }

  /** Closes a connection on which nothing arrives any more. */
  #beat() {
    if (performance.now() - this.#heardAt > SILENT_MS) this.#socket.terminate();
    else if (this.#socket.readyState === WebSocket.OPEN)
      this.#socket.send(JSON.stringify({ op: 1, d: this.#last || null }));
  }

  #take(socket, { op, d, s, t }) {
    const { token } = this;
    this.#heardAt = performance.now();
    if (op === 10 && this.#sessionId) {
      socket.send(JSON.stringify({ op: 6, d: { token, session_id: this.#sessionId, seq: this.#last } }));
    } else if (op === 10) socket.send(JSON.stringify({ op: 2, d: { token } }));
    else if (op === 9) {
      this.#end();
      socket.terminate();
    } else if (op === 0) this.#dispatch(d, s, t);
  }

  #end() {
    if (this.#sessionId === '') return;
    const awayMs = performance.now() - this.#awaySince;
    if (awayMs > RETAINED_MS) this.gaps.push({ after: this.seen.at(-1) });
    else this.invalidated.push(Math.round(awayMs / 1000));
    this.#sessionId = '';
    this.#last = 0;
  }

  #dispatch(d, s, t) {
    this.#awaySince = 0;
    if (t === 'READY') this.#sessionId = d.session_id;
    else if (t === 'RESUMED') this.resumes++;
    else {
      if (s !== undefined && s <= this.#last) this.repeated++;
      if (t === 'WEBHOOK_MESSAGE_CREATE') this.#told(d.id);
    }
    this.#last = s ?? this.#last;
  }

  #told(id) {
    const gap = this.gaps.at(-1);
    if (gap && !gap.before) gap.before = id;
    this.seen.push(id);
  }

  /** Breaks its connection. */
  drop() {
    this.#socket.terminate();
  }

  close() {
    this.#isOver = true;
    clearInterval(this.beat);
    this.#socket.terminate();
  }
}
