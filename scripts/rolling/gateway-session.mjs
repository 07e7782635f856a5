import { WebSocket } from 'ws';
import { within } from './ask.mjs';

const HEARTBEAT_MS = 20_000;
const REVOKED = 4004;
/** The close reason that a replica sends when it shuts down. */
const DRAIN = 'Session drain requested; reconnect to continue';

/** A gateway session. When its socket closes, it resumes at the current `front`, unless the session was revoked. */
export class GatewaySession {
  /** Descriptions of the failures. */
  faults = [];
  /** Received events, each once. */
  seen = [];
  resumes = 0;
  isRevoked = false;
  isAttached = false;
  #id = '';
  #last = 0;
  #isOver = false;
  #wakers = new Set();

  constructor(front, token) {
    this.front = front;
    this.token = token;
    this.#connect();
  }

  static async started(front, token) {
    const session = new GatewaySession(front, token);
    await session.until(() => session.isAttached, 'READY');
    return session;
  }

  #connect() {
    const { name, url } = this.front;
    const socket = new WebSocket(`${url.replace('http', 'ws')}/gateway`);
    this.socket = socket;
    const beats = setInterval(
      () => socket.readyState === 1 && this.#send({ op: 1, d: this.#last || null }),
      HEARTBEAT_MS,
    );
    socket.on('message', (data) => this.#take(JSON.parse(String(data))));
    socket.on('error', ({ message }) => this.#fail(`a socket at ${name}: ${message}`));
    socket.on('close', (code, reason) => {
      clearInterval(beats);
      this.isAttached = false;
      this.isRevoked ||= code === REVOKED;
      if (!this.isRevoked && !socket.isDropped && String(reason) !== DRAIN) {
        this.#fail(`a socket at ${name} ended with ${code} ${reason}`);
      }
      if (!this.isRevoked && !this.#isOver) setTimeout(() => this.#isOver || this.#connect(), 20);
      this.#wake();
    });
  }

  #send(payload) {
    this.socket.send(JSON.stringify(payload));
  }

  #take({ op, d, s, t }) {
    const { token } = this;
    if (op === 10 && this.#id) this.#send({ op: 6, d: { token, session_id: this.#id, seq: this.#last } });
    else if (op === 10) this.#send({ op: 2, d: { token } });
    else if (op === 9) {
      this.#fail('its session was lost');
      this.#id = '';
      this.socket.isDropped = true;
      this.socket.terminate();
    } else if (op === 0) {
      if (t === 'READY') this.#id = d.session_id;
      else if (t === 'RESUMED') this.resumes++;
      else if (s <= this.#last) this.#fail(`${t} came twice`);
      else this.seen.push({ t, d });
      this.#last = s ?? this.#last;
      this.isAttached ||= t === 'READY' || t === 'RESUMED';
    }
    this.#wake();
  }

  #fail(message) {
    if (!this.#isOver) this.faults.push(message);
  }

  #wake() {
    for (const wake of this.#wakers) wake();
  }

  /** Waits until a condition is true. The condition is checked whenever the state of the session changes. */
  until(isSo, what) {
    let look;
    const heard = new Promise((resolve) => {
      look = () => isSo() && resolve();
      this.#wakers.add(look);
      look();
    });
    const waited = () => `${what} on a socket at ${this.front.name} (${this.faults.join('; ') || 'it stands'})`;
    return within(heard, waited()).finally(() => this.#wakers.delete(look));
  }

  heard(event, isIt) {
    return this.until(() => this.seen.some(({ t, d }) => t === event && isIt(d)), event);
  }

  /** Breaks the connection and resumes the session at `front`. */
  async resumeAt(front) {
    const before = this.resumes;
    this.front = front;
    this.socket.isDropped = true;
    this.socket.terminate();
    await this.until(() => this.resumes > before, 'RESUMED');
  }

  close() {
    this.#isOver = true;
    this.socket.terminate();
  }
}
