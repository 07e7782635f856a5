import { hash, randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import { Batcher } from '../../platform/database/batcher.js';
import { connectRedis } from '../../platform/store/redis-client.js';
import { type Break, NOT_REPLAYABLE, type SessionLogState } from '../protocol/session-log.js';
import { accountKeys, type Script, type Scripts, SOURCES, socketsKey } from './redis-scripts.js';
import { SessionIds } from './session-ids.js';
import {
  type Claim,
  type ClaimInput,
  type Created,
  type FencedSession,
  type Holding,
  type ListedSession,
  type NewSession,
  type Removal,
  type Renewal,
  type RetainedSession,
  type Revocation,
  SessionStore,
  type SessionWrite,
  type SocketCount,
  type StoredPayload,
  type StoredSession,
} from './session-store.js';

const ITEMS_PER_CALL = 200;
const RESPONSE_TIMEOUT_MS = 2000;

interface Settings {
  readonly retentionMs: number;
  readonly renewMs: number;
  /** Byte budget for the events of one account. */
  readonly replayBytes: number;
  /** The first creates IDs, all read them. */
  readonly secrets: readonly Buffer[];
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
  private readonly ids: SessionIds;

  private constructor(
    private readonly scripts: Scripts,
    private readonly settings: Settings,
    /** A call may then use the keys of only one account or IP address. */
    private readonly isCluster: boolean,
    private readonly disconnect: () => void,
  ) {
    super();
    this.ids = new SessionIds(settings.secrets);
  }

  static async open(url: string, settings: Settings): Promise<RedisSessions> {
    const client = await connectRedis(url, RESPONSE_TIMEOUT_MS);
    const define = (name: string, lua: string): Script => {
      client.defineCommand(name, { lua });
      return (keys, ...args) => {
        if ('stream' in client) corkUntilImmediate(client.stream);
        return Reflect.get(client, name).call(client, keys.length, ...keys, ...args);
      };
    };
    const scripts = SOURCES.map(([name, lua]) => [name, define(`gatehouseSession${name}`, lua)]);
    return new RedisSessions(Object.fromEntries(scripts), settings, client.isCluster, () => client.disconnect());
  }

  newId(account: string): string {
    return this.ids.create(account);
  }

  async create(session: NewSession, limit: number): Promise<Created | null> {
    const { id, account, login, binding, wishes, cursor, isTold } = session;
    const state = [login, binding, wishes, cursor, ...(isTold ? [serializeBreak(FIRST_LIST)] : [])];
    const head = [id, this.owner, leaseMs(this.settings), limit];
    const response = await this.scripts.create(accountKeys(account), ...head, ...state);
    const [since, entries = []] = response as [since?: number, entries?: Entry[]];
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
    const head = [owner, leaseMs(settings), settings.replayBytes, payloads.length];
    const args = [...head, ...payloadPairs(payloads), ...state];
    return this.scripts.write(accountKeys(account), ...args) as Promise<Holding[]>;
  }

  restore(session: StoredSession): Promise<Holding> {
    const { id, fence, account, login, binding, wishes, since, step, standing, needed, payloads, breaks } = session;
    const { owner, settings } = this;
    return this.scripts.restore(
      accountKeys(account),
      ...[id, owner, fence, leaseMs(settings), settings.replayBytes, login, binding, wishes, since],
      ...[step, ...stateValues(standing), needed, payloads.length],
      ...payloadPairs(payloads),
      ...breaks.map(serializeBreak),
    ) as Promise<Holding>;
  }

  async claim({ id, fence, binding, seq }: ClaimInput): Promise<Claim> {
    const keys = accountKeys(this.ids.accountOf(id));
    const response = await this.scripts.claim(keys, id, this.owner, fence, binding, seq, leaseMs(this.settings));
    const [outcome, newFence, state, breaks, payloads, untold] = response as [
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

  /** In a cluster, the servers that respond renew their sessions. */
  async renew(sessions: readonly FencedSession[]): Promise<Renewal> {
    const changed = new Set<string>();
    const failures: unknown[] = [];
    const renewSome = async (some: readonly FencedSession[]): Promise<Holding[]> => {
      const { keys, args } = this.argsOf(some, ({ id, fence }) => [id, fence]);
      const found = await this.scripts.renew(keys, this.owner, leaseMs(this.settings), ...args);
      return (found as [Holding, ended: number][]).map(([holding, ended], index) => {
        if (ended > 0) changed.add(this.ids.accountOf(some[index]?.id ?? ''));
        return holding;
      });
    };
    const holdings = await this.inCalls(sessions, this.accountOf, (some) =>
      renewSome(some).catch((error) => {
        failures.push(error);
        return some.map(() => null);
      }),
    );
    if (failures.length > 0 && holdings.every((holding) => holding === null)) throw failures[0];
    return { holdings, changed: [...changed] };
  }

  async retain(sessions: readonly RetainedSession[]): Promise<void> {
    await this.inCalls(sessions, this.accountOf, async (some) => {
      const { keys, args } = this.argsOf(some, ({ id, fence, forMs, isTold }) => [
        ...[id, fence, Math.ceil(forMs), isTold ? 1 : 0],
      ]);
      await this.scripts.retain(keys, this.owner, ...args);
      return [];
    });
  }

  async remove(session: FencedSession): Promise<Removal> {
    if (!this.isCluster) return this.removals.submit(session);
    const [removal] = await this.removeSome([session]);
    return removal ?? { holding: 'gone', isElsewhere: false };
  }

  private readonly removals = new Batcher((sessions: readonly FencedSession[]) => this.removeSome(sessions), {
    maxSize: ITEMS_PER_CALL,
  });

  private async removeSome(sessions: readonly FencedSession[]): Promise<Removal[]> {
    const { keys, args } = this.argsOf(sessions, ({ id, fence }) => [id, fence]);
    const responses = (await this.scripts.remove(keys, this.owner, ...args)) as [Holding, number][];
    return responses.map(([holding, others]) => ({ holding, isElsewhere: others > 0 }));
  }

  async revoke({ sessions = [], owners = [], bot }: Revocation): Promise<string[]> {
    const revoked = owners.map((account) => ({ account, logins: sessions }));
    if (bot) revoked.push({ account: bot, logins: [] });
    const ended = await Promise.all(
      revoked.map(({ account, logins }) => this.scripts.revoke(accountKeys(account), ...logins)),
    );
    return revoked.flatMap(({ account }, index) => (ended[index] === 1 ? account : []));
  }

  async list(account: string): Promise<ListedSession[]> {
    return toListedSessions((await this.scripts.list(accountKeys(account), this.owner)) as Entry[]);
  }

  sockets(counts: readonly SocketCount[]): Promise<number[]> {
    const silentMs = MISSED_RENEWALS * this.settings.renewMs;
    return this.inCalls(
      counts,
      ({ key }) => key,
      async (some) => {
        // Do not store client IP addresses in plain text.
        const keys = some.map(({ key }) => socketsKey(hash('sha256', key, 'base64url')));
        return (await this.scripts.sockets(keys, this.owner, silentMs, ...some.map(({ count }) => count))) as number[];
      },
    );
  }

  private readonly accountOf = ({ id }: { readonly id: string }): string => this.ids.accountOf(id);

  /** The keys of the accounts of some sessions, and arguments for each session after the place of its account. */
  private argsOf<T extends { readonly id: string }>(
    sessions: readonly T[],
    argsOf: (session: T) => (string | number)[],
  ): { keys: string[]; args: (string | number)[] } {
    const places = new Map<string, number>();
    const args = sessions.flatMap((session) => {
      const account = this.accountOf(session);
      const place = places.get(account) ?? places.size + 1;
      places.set(account, place);
      return [place, ...argsOf(session)];
    });
    return { keys: [...places.keys()].flatMap(accountKeys), args };
  }

  /**
   * Splits items into calls: of equal size, or in a cluster by what their keys depend on. Returns the results in the
   * order of the items.
   */
  private async inCalls<T, R>(
    items: readonly T[],
    dependsOn: (item: T) => string,
    call: (some: readonly T[]) => Promise<readonly R[]>,
  ): Promise<R[]> {
    const groups = new Map<string | number, number[]>();
    for (const [index, item] of items.entries()) {
      const group = this.isCluster ? dependsOn(item) : Math.floor(index / ITEMS_PER_CALL);
      groups.set(group, [...(groups.get(group) ?? []), index]);
    }
    const results: R[] = [];
    await Promise.all(
      [...groups.values()].map(async (indexes) => {
        const found = await call(indexes.map((index) => items[index] as T));
        for (const [n, index] of indexes.entries()) results[index] = found[n] as R;
      }),
    );
    return results;
  }

  async close(): Promise<void> {
    this.disconnect();
  }
}
