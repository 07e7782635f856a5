import { hash, randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import { Batcher } from '../../platform/database/batcher.js';
import { connectRedis } from '../../platform/store/redis-client.js';
import { type Break, NOT_REPLAYABLE, type SessionLogState } from '../protocol/session-log.js';
import { type Script, type Scripts, SOURCES } from './redis-scripts.js';
import {
  type Claim,
  type ClaimInput,
  type Created,
  type HeldSession,
  type Holding,
  type ListedSession,
  type NewSession,
  type Removal,
  type Renewal,
  type RestingSession,
  SessionStore,
  type SessionWrite,
  type SocketCount,
  type StoredPayload,
  type WholeSession,
} from './session-store.js';

const COUNTS_PER_CALL = 200;
const REMOVALS_PER_CALL = 200;
const RESPONSE_TIMEOUT_MS = 2000;

interface Settings {
  readonly retentionMs: number;
  readonly renewMs: number;
  /** Byte budget for the events of one account. */
  readonly replayBytes: number;
}

/** The lease includes one renewal interval, so that a session is retained for the full time if its process crashes. */
const leaseMs = ({ retentionMs, renewMs }: Settings): number => retentionMs + renewMs;

const MISSED_RENEWALS = 3;

type Entry = [id: string, isMobile: number, since: string, isHere: number];

const serializeBreak = ([s, ref]: Break): string => `${s} ${ref}`;

function parseBreak(text: string): Break {
  const [s = '', ref = ''] = text.split(' ');
  return [Number(s), ref];
}

/** The break for the session list after READY, which has sequence number 2. */
const FIRST_LIST: Break = [2, NOT_REPLAYABLE];

const stateValues = ({ seq, acknowledged, floor, cursor }: SessionLogState): number[] => [
  seq,
  acknowledged,
  floor,
  cursor,
];

const payloadPairs = (payloads: readonly StoredPayload[]): string[] =>
  payloads.flatMap(({ ref, type, json }) => [ref, `${type}\n${json}`]);

function* parsePayloads(pairs: readonly string[]): Iterable<StoredPayload> {
  for (let at = 0; at < pairs.length; at += 2) {
    const [ref = '', text = ''] = [pairs[at], pairs[at + 1]];
    const end = text.indexOf('\n');
    yield { ref, type: text.slice(0, end), json: text.slice(end + 1) };
  }
}

const corkedStreams = new WeakSet<object>();

/** Combines all commands of one turn of the event loop into one write. */
function corkUntilImmediate(stream: Pick<Writable, 'cork' | 'uncork'> | undefined): void {
  if (!stream || corkedStreams.has(stream)) return;
  corkedStreams.add(stream);
  stream.cork();
  setImmediate(() => {
    corkedStreams.delete(stream);
    stream.uncork();
  });
}

/** Returns the entries in order of creation. */
function toListedSessions(entries: Entry[]): ListedSession[] {
  entries.sort(([, , a], [, , b]) => Number(a) - Number(b));
  return entries.map(([id, isMobile, , isHere]) => ({ id, mobile: isMobile === 1, isHere: isHere === 1 }));
}

/** Sessions in Redis or Valkey. Every call can fail if the server does not respond. */
export class RedisSessions extends SessionStore {
  private readonly owner = randomUUID();

  private constructor(
    private readonly scripts: Scripts,
    private readonly settings: Settings,
    private readonly disconnect: () => void,
  ) {
    super();
  }

  static async open(url: string, settings: Settings): Promise<RedisSessions> {
    const client = await connectRedis(url, RESPONSE_TIMEOUT_MS);
    const define = (name: string, lua: string): Script => {
      client.defineCommand(name, { numberOfKeys: 0, lua });
      return (...args) => {
        corkUntilImmediate(client.stream);
        return (Reflect.get(client, name) as Script).apply(client, args);
      };
    };
    const scripts = SOURCES.map(([name, lua]) => [name, define(`gatehouseSession${name}`, lua)]);
    return new RedisSessions(Object.fromEntries(scripts), settings, () => client.disconnect());
  }

  async create(session: NewSession, limit: number): Promise<Created | null> {
    const { id, account, login, binding, wishes, cursor, isTold } = session;
    const state = [account, login ?? '', binding, wishes, cursor, ...(isTold ? [serializeBreak(FIRST_LIST)] : [])];
    const answer = await this.scripts.create(id, this.owner, leaseMs(this.settings), limit, ...state);
    const [since, entries = []] = answer as [since?: number, entries?: Entry[]];
    return since === undefined ? null : { since, listed: toListedSessions(entries) };
  }

  write(
    account: string,
    payloads: readonly StoredPayload[],
    steps: readonly SessionWrite[],
  ): Promise<readonly Holding[]> {
    const { owner, settings } = this;
    const state = steps.flatMap(({ id, fence, step, standing, needed, drop, breaks }) => [
      ...[id, fence, step, ...stateValues(standing), needed, drop, breaks.length],
      ...breaks.map(serializeBreak),
    ]);
    const head = [account, owner, leaseMs(settings), settings.replayBytes, payloads.length];
    return this.scripts.write(...head, ...payloadPairs(payloads), ...state) as Promise<Holding[]>;
  }

  restore(session: WholeSession): Promise<Holding> {
    const { id, fence, account, login, binding, wishes, since, step, standing, needed, payloads, breaks } = session;
    const { owner, settings } = this;
    return this.scripts.restore(
      ...[id, owner, fence, leaseMs(settings), settings.replayBytes, account, login ?? '', binding, wishes, since],
      ...[step, ...stateValues(standing), needed, payloads.length],
      ...payloadPairs(payloads),
      ...breaks.map(serializeBreak),
    ) as Promise<Holding>;
  }

  async claim({ id, fence, binding, seq }: ClaimInput): Promise<Claim> {
    const answer = await this.scripts.claim(id, this.owner, fence, binding, seq, leaseMs(this.settings));
    const [outcome, newFence, state, breaks, payloads, untold] = answer as [
      ...[outcome: Claim, fence: number, state: string[], breaks: string[], payloads: string[], untold: number],
    ];
    if ((outcome as string) !== 'claimed') return outcome;
    const [stored, acknowledged, floor, cursor, step, since, wishes = ''] = state;
    return {
      fence: newFence,
      since: Number(since),
      step: Number(step),
      standing: {
        seq: Number(stored),
        acknowledged: Number(acknowledged),
        floor: Number(floor),
        cursor: Number(cursor),
      },
      wishes,
      breaks: breaks.map(parseBreak),
      payloads: [...parsePayloads(payloads)],
      lacksCurrentList: untold === 1,
    };
  }

  async renew(sessions: readonly HeldSession[]): Promise<Renewal> {
    const held = sessions.flatMap(({ id, fence }) => [id, fence]);
    const answer = await this.scripts.renew(this.owner, leaseMs(this.settings), ...held);
    const [holdings, changed] = answer as [Holding[], string[]];
    return { holdings, changed };
  }

  async retain(sessions: readonly RestingSession[]): Promise<void> {
    const resting = sessions.flatMap(({ id, fence, forMs, isTold }) => [id, fence, Math.ceil(forMs), isTold ? 1 : 0]);
    await this.scripts.retain(this.owner, ...resting);
  }

  remove({ id, fence }: HeldSession, account: string): Promise<Removal> {
    return this.removals.submit([id, fence, account]);
  }

  private readonly removals = new Batcher(
    async (sessions: readonly (readonly [string, number, string])[]) => {
      const answers = (await this.scripts.remove(this.owner, ...sessions.flat())) as [Holding, number][];
      return answers.map(([holding, others]): Removal => ({ holding, isElsewhere: others > 0 }));
    },
    { maxSize: REMOVALS_PER_CALL },
  );

  async revoke(logins: readonly string[], accounts: readonly string[]): Promise<string[]> {
    const lists = [...logins.map((id) => `login:${id}`), ...accounts.map((id) => `account:${id}`)];
    return lists.length > 0 ? (this.scripts.revoke(...lists) as Promise<string[]>) : [];
  }

  async list(account: string): Promise<ListedSession[]> {
    return toListedSessions((await this.scripts.list(account, this.owner)) as Entry[]);
  }

  async sockets(counts: readonly SocketCount[]): Promise<number[]> {
    const totals: number[] = [];
    const silentMs = MISSED_RENEWALS * this.settings.renewMs;
    for (let first = 0; first < counts.length; first += COUNTS_PER_CALL) {
      const some = counts.slice(first, first + COUNTS_PER_CALL);
      // Do not store client IP addresses in plain text.
      const pairs = some.flatMap(({ key, count }) => [hash('sha256', key, 'base64url'), count]);
      totals.push(...((await this.scripts.sockets(this.owner, silentMs, ...pairs)) as number[]));
    }
    return totals;
  }

  async close(): Promise<void> {
    this.disconnect();
  }
}
