import { WebSocket } from 'ws';

const BEAT_MS = 4000;
const SILENT_MS = 12_000;
const AGAIN_MS = 250;

/** A client of the gateway that stays: whatever ends its socket, it resumes its session at one of the replicas. */
export class Listener {
  /** Ids of the messages that it was told of, as they came. */
  seen = [];
  invalidations = 0;
  resumes = 0;
  /** Dispatches whose sequence came twice or went back. */
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
    const socket = new WebSocket(`${this.urlOf().replace('http', 'ws')}/gateway`, {
      handshakeTimeout: 5000,
      headers: { 'x-forwarded-for': this.address },
    });
    this.#socket = socket;
    this.#heardAt = performance.now();
    socket.on('message', (data) => this.#take(socket, JSON.parse(String(data))));
    socket.on('error', () => {});
    socket.on('close', () => setTimeout(() => this.#connect(), AGAIN_MS));
  }

  /** A connection on which nothing comes any more is given up. */
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
      this.invalidations++;
      this.#sessionId = '';
      socket.terminate();
    } else if (op === 0) this.#dispatch(d, s, t);
  }

  #dispatch(d, s, t) {
    if (t === 'READY') this.#sessionId = d.session_id;
    else if (t === 'RESUMED') this.resumes++;
    else {
      if (s !== undefined && s <= this.#last) this.repeated++;
      if (t === 'WEBHOOK_MESSAGE_CREATE') this.seen.push(d.id);
    }
    this.#last = s ?? this.#last;
  }

  /** Its transport breaks. */
  drop() {
    this.#socket.terminate();
  }

  close() {
    this.#isOver = true;
    clearInterval(this.beat);
    this.#socket.terminate();
  }
}
