import { WebSocket } from 'ws';
import type { LogoutReceiver } from '../machine/logout-receiver.js';
import type { TestResponse } from '../support/exchange.js';
import type { Cluster, Replica } from './cluster.js';
import type { Attempt, Credential, History, Interval, Outcome, Socket } from './history.js';
import type { Service } from './services.js';

export const now = (): number => performance.now();

/** An attempt as the client sees it, with the response if one arrived. */
export interface AttemptResult extends Attempt {
  readonly answer: TestResponse | undefined;
}

/** How to present a credential, and which members to read from the response. */
export interface PresentedCredential {
  readonly credential: Credential;
  present(replica: Replica): PromiseLike<TestResponse>;
  /** The value of `Authorization`, if services accept it. */
  readonly authorization?: string;
  /** The IP address of the client, if the credential depends on it. */
  readonly address?: string | undefined;
  /** The token for Identify, if the gateway accepts the credential. */
  readonly gatewayToken?: string;
  /** The members that the response contains. */
  readonly shows?: readonly { readonly member: string; of(response: TestResponse): string | null }[];
}

/** Time limit for the first response of the gateway. Without it, a halted gateway would block the end of a run. */
const IDENTIFY_TIMEOUT_MS = 20_000;

/** A time in a database and one of this process can differ by this much. */
const CLOCK_RESOLUTION_MS = 10;

/** The callback for dispatches of the session, and whether to resume a session. */
export interface IdentifyHandlers {
  readonly recordEvent?: (dispatch: { s?: number; t?: string; d?: unknown }) => void;
  readonly how?: 'resume';
}

export interface IdentifyResult {
  readonly outcome: Outcome;
  /** The gateway has no such session. */
  readonly isForgotten: boolean;
  leave(): void;
}

function statusOutcome(status: number): Outcome {
  if (status >= 500 || status === 429) return 'unknown';
  return status < 300 ? 'ok' : 'refused';
}

function outcomeOf(response: TestResponse | undefined): Outcome {
  return response === undefined ? 'unknown' : statusOutcome(response.status);
}

/** Performs the operations of clients and records them. */
export class Recorder {
  /** Shared by all runs. They use the same replicas, where the names of earlier runs still exist. */
  private static named = 0;
  private readonly open = new Set<WebSocket>();
  private heard = 0;
  /** Credentials that were reported as leaked. */
  readonly reported: PresentedCredential[] = [];

  constructor(readonly history: History) {}

  /** A unique name. */
  name(what: string): string {
    return `${what} ${++Recorder.named}`;
  }

  async attempt(replica: Replica, work: (replica: Replica) => PromiseLike<TestResponse>): Promise<AttemptResult> {
    const start = now();
    const response = await Promise.resolve(work(replica)).catch(() => undefined);
    return { replica: replica.index, start, end: now(), outcome: outcomeOf(response), answer: response };
  }

  issue(what: string, issued: Interval, scopes: readonly string[], more: Partial<Credential> = {}): Credential {
    const id = this.name(what);
    const { start, end } = issued;
    return this.history.issue({ id, scopes: [id, ...scopes], issued: { start, end }, ...more });
  }

  async use(replica: Replica, { credential, present, shows }: PresentedCredential): Promise<AttemptResult> {
    const attempted = await this.attempt(replica, present);
    const { answer: response, ...attempt } = attempted;
    this.history.uses.push({ ...attempt, credential: credential.id });
    if (shows && response && attempt.outcome === 'ok') {
      const { start, end } = attempt;
      for (const { member, of } of shows)
        this.history.reads.push({ start, end, replica: replica.index, member, value: of(response) });
    }
    return attempted;
  }

  /** Presents a credential to a service. */
  async useAt(service: Service, { credential, authorization, address }: PresentedCredential): Promise<Outcome> {
    const start = now();
    const status = await service.present(authorization as string, address).catch(() => 503);
    const outcome = statusOutcome(status);
    this.history.serviceUses.push({ service: service.index, credential: credential.id, start, end: now(), outcome });
    return outcome;
  }

  async revoke(
    replica: Replica,
    kind: string,
    ends: readonly string[],
    work: (replica: Replica) => PromiseLike<TestResponse>,
    spares: readonly string[] = [],
  ): Promise<AttemptResult> {
    const attempted = await this.attempt(replica, work);
    const { answer: _, ...attempt } = attempted;
    this.history.revocations.push({ ...attempt, kind, ends, spares });
    return attempted;
  }

  /**
   * Records a command of an operator that revokes credentials. `work` returns whether it succeeded. The credentials end
   * `afterMs` later, give or take the resolution of clocks.
   */
  async operate(kind: string, ends: readonly string[], work: () => Promise<boolean>, afterMs = 0): Promise<void> {
    const start = now() + Math.max(0, afterMs - CLOCK_RESOLUTION_MS);
    const outcome = (await work()) ? 'ok' : 'unknown';
    const end = now() + (afterMs === 0 ? 0 : afterMs + CLOCK_RESOLUTION_MS);
    this.history.revocations.push({ kind, ends, spares: [], start, end, outcome });
  }

  /** Reports a credential as leaked. It may end at any time from now on. */
  async report(replica: Replica, presented: PresentedCredential, text: string): Promise<AttemptResult> {
    const { id } = presented.credential;
    const attempted = await this.attempt(replica, (one) =>
      one.anonymous.post('/v1/credentials/revoke', { credentials: [text] }),
    );
    const { answer: _, ...attempt } = attempted;
    if (attempt.outcome === 'refused') return attempted;
    this.reported.push(presented);
    this.history.leakReports.push({ ...attempt, credential: id });
    const { start, end } = attempt;
    this.history.revocations.push({ kind: 'report of a leak', ends: [id], spares: [], start, end, outcome: 'unknown' });
    return attempted;
  }

  async write(replica: Replica, member: string, value: string, work: (replica: Replica) => PromiseLike<TestResponse>) {
    const { answer: _, ...attempt } = await this.attempt(replica, work);
    this.history.writes.push({ ...attempt, member, value });
  }

  /** Identifies. If a session starts, its socket is recorded until it closes. */
  async identify(replica: Replica, credential: Credential, token: string): Promise<void> {
    await this.recordIdentify(replica, credential, { op: 2, d: { token } });
  }

  /** Opens a socket and sends `first`. If that starts or resumes a session, the socket is recorded until it closes. */
  async recordIdentify(
    replica: Replica,
    { id: credential }: Credential,
    first: object,
    { recordEvent: hear, how }: IdentifyHandlers = {},
  ): Promise<IdentifyResult> {
    const start = now();
    const { index } = replica;
    const socket = new WebSocket(`${replica.url.replace('http', 'ws')}/gateway`);
    const leave = () => socket.terminate();
    const timeout = setTimeout(leave, IDENTIFY_TIMEOUT_MS);
    let isForgotten = false;
    const outcome = await new Promise<Outcome>((resolve) => {
      const tell = (outcome: Outcome) => {
        clearTimeout(timeout);
        this.history.uses.push({ credential, replica: index, start, end: now(), outcome, ...(how && { how }) });
        resolve(outcome);
      };
      let watched: Socket | undefined;
      socket.on('error', () => {});
      socket.on('message', (data) => {
        const message = JSON.parse(String(data));
        if (message.op === 10) socket.send(JSON.stringify(first));
        if (message.op === 0) hear?.(message);
        if (message.op === 9) {
          isForgotten = true;
          leave();
        }
        if (message.t !== 'READY' && message.t !== 'RESUMED') return;
        tell('ok');
        this.open.add(socket);
        watched = { credential, replica: index, opened: now(), closed: null, code: null };
        this.history.sockets.push(watched);
      });
      socket.on('close', (code) => {
        this.open.delete(socket);
        if (watched) Object.assign(watched, { closed: now(), code });
        else tell(code === 4004 ? 'refused' : 'unknown');
      });
    });
    return { outcome, isForgotten, leave };
  }

  /** Records the public keys of a replica. */
  async readKeys(replica: Replica): Promise<void> {
    const {
      answer: response,
      outcome,
      start,
      end,
    } = await this.attempt(replica, (one) => one.anonymous.get('/.well-known/jwks.json'));
    if (outcome === 'ok') this.history.keySets.push({ replica: replica.index, start, end, keys: response?.body.keys });
  }

  /** Records a rotation of the signing keys. */
  async rotateKeys(cluster: Cluster): Promise<void> {
    const start = now();
    const outcome = (await cluster.rotateKeys()) ? 'ok' : 'unknown';
    this.history.rotations.push({ start, end: now(), outcome });
  }

  /** Records the logout tokens of this history that arrived since the last call. */
  hear({ received }: LogoutReceiver): void {
    const known = new Set(this.history.logins.map(({ sid }) => sid));
    for (const { sid, token, at } of received.slice(this.heard))
      if (known.has(sid)) this.history.tokens.push({ kind: 'logout token', sid, token, at });
    this.heard = received.length;
  }

  /** Ends the observation. */
  finish(): void {
    this.history.end = now();
    for (const socket of this.open) socket.removeAllListeners('close').terminate();
  }
}
