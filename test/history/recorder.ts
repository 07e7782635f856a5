import { WebSocket } from 'ws';
import type { Answer } from '../support/exchange.js';
import type { Replica } from './cluster.js';
import type { Attempt, Credential, History, Interval, Outcome, Socket } from './history.js';

export const now = (): number => performance.now();

/** An attempt as it is known, with the answer if one came. */
export interface Attempted extends Attempt {
  readonly answer: Answer | undefined;
}

/** How a credential is presented, and what is read of the answer on the way. */
export interface Presented {
  readonly credential: Credential;
  present(replica: Replica): PromiseLike<Answer>;
  /** The token for Identify, of credentials that the gateway takes. */
  readonly gatewayToken?: string;
  /** The members that the answer shows. */
  readonly shows?: readonly { readonly member: string; of(answer: Answer): string | null }[];
}

function outcomeOf(answer: Answer | undefined): Outcome {
  if (answer === undefined || answer.status >= 500 || answer.status === 429) return 'unknown';
  return answer.status < 300 ? 'ok' : 'refused';
}

/** Does what clients do, and writes it down. */
export class Recorder {
  private count = 0;
  private readonly open = new Set<WebSocket>();

  constructor(readonly history: History) {}

  /** A name that nothing else has. */
  name(what: string): string {
    return `${what} ${++this.count}`;
  }

  async attempt(replica: Replica, work: (replica: Replica) => PromiseLike<Answer>): Promise<Attempted> {
    const start = now();
    const answer = await Promise.resolve(work(replica)).catch(() => undefined);
    return { replica: replica.index, start, end: now(), outcome: outcomeOf(answer), answer };
  }

  issue(what: string, issued: Interval, scopes: readonly string[], more: Partial<Credential> = {}): Credential {
    const id = this.name(what);
    const { start, end } = issued;
    return this.history.issue({ id, scopes: [id, ...scopes], issued: { start, end }, ...more });
  }

  async use(replica: Replica, { credential, present, shows }: Presented): Promise<Attempted> {
    const attempted = await this.attempt(replica, present);
    const { answer, ...attempt } = attempted;
    this.history.uses.push({ ...attempt, credential: credential.id });
    if (shows && answer && attempt.outcome === 'ok') {
      const { start, end } = attempt;
      for (const { member, of } of shows)
        this.history.reads.push({ start, end, replica: replica.index, member, value: of(answer) });
    }
    return attempted;
  }

  async revoke(
    replica: Replica,
    kind: string,
    ends: readonly string[],
    work: (replica: Replica) => PromiseLike<Answer>,
    spares: readonly string[] = [],
  ): Promise<Attempted> {
    const attempted = await this.attempt(replica, work);
    const { answer: _, ...attempt } = attempted;
    this.history.revocations.push({ ...attempt, kind, ends, spares });
    return attempted;
  }

  async write(replica: Replica, member: string, value: string, work: (replica: Replica) => PromiseLike<Answer>) {
    const { answer: _, ...attempt } = await this.attempt(replica, work);
    this.history.writes.push({ ...attempt, member, value });
  }

  /** Identifies; a session that starts is watched to the end of its socket. */
  async identify(replica: Replica, { id: credential }: Credential, token: string): Promise<void> {
    const start = now();
    const { index } = replica;
    const socket = new WebSocket(`${replica.url.replace('http', 'ws')}/gateway`);
    const tell = (outcome: Outcome) =>
      this.history.uses.push({ credential, replica: index, start, end: now(), outcome });
    await new Promise<void>((resolve) => {
      let watched: Socket | undefined;
      socket.on('error', () => {});
      socket.on('message', (data) => {
        const { op, t } = JSON.parse(String(data));
        if (op === 10) socket.send(JSON.stringify({ op: 2, d: { token } }));
        if (t !== 'READY') return;
        tell('ok');
        this.open.add(socket);
        watched = { credential, replica: index, opened: now(), closed: null, code: null };
        this.history.sockets.push(watched);
        resolve();
      });
      socket.on('close', (code) => {
        this.open.delete(socket);
        if (watched) Object.assign(watched, { closed: now(), code });
        else tell(code === 4004 ? 'refused' : 'unknown');
        resolve();
      });
    });
  }

  /** Nobody looks any more. */
  finish(): void {
    this.history.end = now();
    for (const socket of this.open) socket.removeAllListeners('close').terminate();
  }
}
