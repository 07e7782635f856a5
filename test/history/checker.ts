import { createPublicKey, verify } from 'node:crypto';
import { HealthyTime } from './healthy-time.js';
import type {
  Credential,
  History,
  Interval,
  KeySet,
  PublishedEvent,
  Read,
  Revocation,
  ServiceUse,
  SignedToken,
  Socket,
  Stream,
  Use,
  Write,
} from './history.js';

/** Time limits of the contract, plus tolerance for a busy machine, in milliseconds. */
export interface Promises {
  /** Within this time, a replica that receives notifications closes the sockets of a revoked credential. */
  readonly told: number;
  /** Within this time, a replica that receives none closes the sockets whose credential it cannot check. */
  readonly unchecked: number;
  /** Within this time, a replica that received no notifications receives them again. */
  readonly recovery: number;
  /** Within this time, a replica that did not run runs again. */
  readonly wakeup: number;
  /** Within this time after the end of a session and of all disturbances, its logout tokens arrive. */
  readonly loggedOut: number;
  /** Within this time after the report of a leak and the end of all disturbances, the credential has ended. */
  readonly reported: number;
  /** Within this time, services do not admit a revoked credential. */
  readonly dropped: number;
  /** After this time without a connection to Gatehouse, services admit nothing. */
  readonly lost: number;
}

export type Rule =
  | 'used after its end'
  | 'admitted by a service after its end'
  | 'admitted by a service that was cut off'
  | 'a leaked credential stayed valid'
  | 'redeemed twice'
  | 'an acknowledged change was lost'
  | 'a change that was refused'
  | 'refused without a cause'
  | 'a socket outlived its credential'
  | 'an event was passed over'
  | 'a session was forgotten'
  | 'a session ended without its logout token'
  | 'a logout token without a cause'
  | 'a key set without the key of a token'
  | 'a token with a wrong signature';

export interface Violation {
  readonly rule: Rule;
  readonly what: string;
  /** Whether an effect is missing that may still occur. */
  readonly isPending: boolean;
}

/** Times are in milliseconds. */
export interface CheckResult {
  readonly violations: readonly Violation[];
  readonly delays: readonly number[];
  readonly lags: readonly number[];
  readonly calmLags: readonly number[];
}

const at = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;
const during = ({ start, end }: Interval): string => `${at(start)} to ${at(end)}`;

function byKey<T>(entries: readonly T[], keyOf: (entry: T) => string): Map<string, T[]> {
  const map = new Map<string, T[]>();
  for (const entry of entries) {
    const some = map.get(keyOf(entry));
    if (some) some.push(entry);
    else map.set(keyOf(entry), [entry]);
  }
  return map;
}

/** Verifies RS256, the default algorithm. */
function isSigned(token: string, key: KeySet['keys'][number]): boolean {
  const [head = '', payload = '', signature = ''] = token.split('.');
  const publicKey = createPublicKey({ key, format: 'jwk' });
  return verify('sha256', Buffer.from(`${head}.${payload}`), publicKey, Buffer.from(signature, 'base64url'));
}

const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

/**
 * Checks whether a service that keeps its contract can produce the history. It does not depend on how the history was
 * made. An attempt takes effect at one moment between its start and its end, if it does. An attempt with an unknown
 * outcome takes effect at any moment since its start, or never.
 */
export class Checker {
  private readonly violations: Violation[] = [];
  private readonly revocationsOf = new Map<string, Revocation[]>();
  private readonly hearing: HealthyTime;
  private readonly running: HealthyTime;
  /** How long sockets outlived a revoked credential at replicas that nothing disturbed. */
  readonly delays: number[] = [];
  /** How long services admitted credentials after they were revoked; 0 if they did not. */
  readonly lags: number[] = [];
  /** The same while nothing was disturbed. */
  readonly calmLags: number[] = [];

  private constructor(
    private readonly history: History,
    private readonly promises: Promises,
  ) {
    for (const revocation of history.revocations) {
      for (const scope of revocation.ends) {
        this.revocationsOf.set(scope, [...(this.revocationsOf.get(scope) ?? []), revocation]);
      }
    }
    const stops = history.disturbances.filter(({ kind }) => kind === 'stopped');
    this.hearing = new HealthyTime(history.disturbances, promises.recovery);
    this.running = new HealthyTime(stops, promises.wakeup);
  }

  /**
   * `delays`: how long sockets outlived their credentials at replicas that nothing disturbed. `lags`: how long services
   * admitted revoked credentials. `calmLags`: the same while nothing was disturbed.
   */
  static check(history: History, promises: Promises): CheckResult {
    const checker = new Checker(history, promises);
    checker.checkUses();
    checker.checkServices();
    checker.checkLeakReports();
    checker.checkMembers();
    checker.checkSockets();
    checker.checkStreams();
    checker.checkLogouts();
    checker.checkKeys();
    const { violations, delays, lags, calmLags } = checker;
    return { violations, delays, lags, calmLags };
  }

  private found(rule: Rule, what: string, isPending = false): void {
    this.violations.push({ rule, what, isPending });
  }

  private touching({ id, scopes }: Credential): Revocation[] {
    const found = new Set(scopes.flatMap((scope) => this.revocationsOf.get(scope) ?? []));
    return [...found].filter(({ spares, outcome }) => outcome !== 'refused' && !spares.includes(id));
  }

  /**
   * The first acknowledged revocation that certainly ended a credential, because it started after the credential was
   * issued.
   */
  private endOf(credential: Credential): Revocation | undefined {
    return this.touching(credential)
      .filter(({ outcome, start }) => outcome === 'ok' && credential.issued.end <= start)
      .reduce<Revocation | undefined>((first, one) => (first && first.end <= one.end ? first : one), undefined);
  }

  /** The earliest time at which a revocation may have ended it. */
  private doubtedFrom(credential: Credential): number {
    const some = this.touching(credential).filter(
      ({ outcome, end }) => outcome === 'unknown' || credential.issued.start < end,
    );
    return Math.min(...some.map(({ start }) => start));
  }

  private checkUses(): void {
    for (const [id, uses] of byKey(this.history.uses, ({ credential }) => credential)) {
      const credential = this.history.credentials.get(id);
      if (!credential) throw new Error(`${id} was never issued`);
      const end = this.endOf(credential);
      for (const use of uses) if (end && use.outcome === 'ok') this.checkEnd(use, end, credential);
      if (credential.isOneTime) this.checkOnce(id, uses);
      else this.checkRefusals(credential, uses);
    }
  }

  private checkEnd(use: Use, end: Revocation, { id, endsWithin = 0 }: Credential): void {
    if (use.start <= end.end) return;
    const since = { start: end.end, end: use.start };
    if (endsWithin > 0 && this.hearing.of(use.replica, since) <= endsWithin) return;
    this.found(
      'used after its end',
      `${id} at replica ${use.replica}, ${during(use)}, ${at(use.start - end.end)} after ${end.kind} (${during(end)}) was acknowledged`,
    );
  }

  private checkServices(): void {
    const cuts = byKey(
      this.history.serviceDisturbances.filter(({ isCut }) => isCut),
      ({ service }) => String(service),
    );
    for (const [, uses] of byKey(this.history.serviceUses, ({ credential, service }) => `${service} ${credential}`)) {
      const [{ credential: id, service }] = uses as [ServiceUse];
      const credential = this.history.credentials.get(id);
      if (!credential) throw new Error(`${id} was never issued`);
      const end = this.endOf(credential);
      const admitted = uses.filter(({ outcome }) => outcome === 'ok');
      if (end) this.checkServiceEnd(admitted, uses, end);
      const doubtedFrom = this.doubtedFrom(credential);
      for (const use of uses) {
        if (use.outcome !== 'refused' || use.start < credential.issued.end || use.end > doubtedFrom) continue;
        this.found('refused without a cause', `${id} at service ${service}, ${during(use)}`);
      }
      for (const cut of cuts.get(String(service)) ?? []) {
        for (const use of admitted) {
          if (use.start <= cut.start + this.promises.lost || use.end >= cut.end) continue;
          this.found('admitted by a service that was cut off', `${id} at service ${service}, ${during(use)}`);
        }
      }
    }
  }

  private checkServiceEnd(admitted: readonly ServiceUse[], uses: readonly ServiceUse[], end: Revocation): void {
    const lag = Math.max(0, ...admitted.map(({ start }) => start - end.end));
    const [{ credential, service }] = uses as [ServiceUse];
    // Only a service that admitted the credential before can have kept it.
    if (admitted.some(({ start }) => start <= end.end) && uses.some(({ start }) => start > end.end)) {
      this.lags.push(lag);
      if (this.isCalm(service, { start: end.start, end: end.end + lag })) this.calmLags.push(lag);
    }
    if (lag <= this.promises.dropped) return;
    this.found(
      'admitted by a service after its end',
      `${credential} at service ${service}, ${at(lag)} after ${end.kind} (${during(end)}) was acknowledged`,
    );
  }

  /** Whether no replica and not this service was disturbed, or had just been. */
  private isCalm(service: number, { start, end }: Interval): boolean {
    const { disturbances, serviceDisturbances } = this.history;
    const all = [...disturbances, ...serviceDisturbances.filter((one) => one.service === service)];
    return all.every((one) => one.end + this.promises.wakeup < start || one.start > end);
  }

  private checkLeakReports(): void {
    const calm = Math.max(0, ...this.history.disturbances.map(({ end }) => end));
    const usesOf = byKey(this.history.uses, ({ credential }) => credential);
    for (const report of this.history.leakReports) {
      const { credential, outcome } = report;
      const deadline = Math.max(report.end, calm) + this.promises.reported;
      const late = usesOf.get(credential)?.find((use) => use.outcome === 'ok' && use.start > deadline);
      if (outcome === 'ok' && late)
        this.found(
          'a leaked credential stayed valid',
          `${credential}, reported ${during(report)}, ${during(late)}`,
          !usesOf.get(credential)?.some((use) => use.outcome === 'refused' && use.start > late.start),
        );
    }
  }

  private checkOnce(id: string, uses: readonly Use[]): void {
    const successes = uses.filter(({ outcome }) => outcome === 'ok');
    if (successes.length < 2) return;
    this.found(
      'redeemed twice',
      `${id}: ${successes.map((use) => `at replica ${use.replica}, ${during(use)}`).join('; ')}`,
    );
  }

  private checkRefusals(credential: Credential, uses: readonly Use[]): void {
    const doubtedFrom = this.doubtedFrom(credential);
    for (const use of uses) {
      if (use.outcome !== 'refused' || use.start < credential.issued.end || use.end > doubtedFrom) continue;
      this.found(
        'refused without a cause',
        `${credential.id} (acknowledged ${during(credential.issued)}) at replica ${use.replica}, ${during(use)}`,
      );
    }
  }

  private checkMembers(): void {
    const writesOf = byKey(this.history.writes, ({ member }) => member);
    for (const [member, reads] of byKey(this.history.reads, ({ member }) => member)) {
      const writes = writesOf.get(member) ?? [];
      for (const read of reads) this.checkRead(read, writes);
    }
  }

  private checkRead(read: Read, writes: readonly Write[]): void {
    const { member, value } = read;
    const seen = `${member} was ${value} at replica ${read.replica}, ${during(read)}`;
    const written = writes.filter((write) => write.value === value);
    const possible = written.filter(({ outcome, start }) => outcome !== 'refused' && start <= read.end);
    if (value !== null && possible.length === 0) {
      const [source] = written;
      this.found(
        'a change that was refused',
        `${seen}, ${source ? `written ${during(source)}` : 'which nobody wrote'}`,
      );
      return;
    }
    // A write without a response may take effect late and overwrite later writes.
    if (possible.some(({ outcome }) => outcome !== 'ok')) return;
    const settled = Math.max(...possible.map(({ end }) => end));
    const later = writes.find(({ outcome, start, end }) => outcome === 'ok' && start >= settled && end <= read.start);
    if (later) {
      this.found('an acknowledged change was lost', `${seen}; ${later.value} was acknowledged ${during(later)}`);
    }
  }

  private checkSockets(): void {
    for (const socket of this.history.sockets) {
      const credential = this.history.credentials.get(socket.credential);
      if (!credential) throw new Error(`${socket.credential} was never issued`);
      if (socket.code === 4004 && (socket.closed ?? 0) <= this.doubtedFrom(credential)) {
        this.found('refused without a cause', `a socket of ${credential.id} got 4004 at ${at(socket.closed ?? 0)}`);
      }
      const end = this.endOf(credential);
      if (end) this.checkSocket(socket, end);
    }
  }

  private checkSocket(socket: Socket, end: Revocation): void {
    const life = { start: Math.max(end.end, socket.opened), end: socket.closed ?? this.history.end };
    if (life.end <= life.start) return;
    const { replica } = socket;
    const [received, ran] = [this.hearing.of(replica, life), this.running.of(replica, life)];
    if (socket.code === 4004 && received === life.end - life.start) this.delays.push(received);
    if (received <= this.promises.told && ran <= this.promises.unchecked) return;
    this.found(
      'a socket outlived its credential',
      `${socket.credential} at replica ${replica}, open from ${at(socket.opened)} to ${at(life.end)} (${socket.code ?? 'still open'}), ` +
        `though ${end.kind} was acknowledged ${during(end)}: for ${at(received)} undisturbed, ${at(ran)} running`,
      socket.closed === null,
    );
  }

  private checkStreams(): void {
    const eventsOf = byKey(this.history.events, ({ topic }) => topic);
    const replicas = new Set(this.history.uses.map(({ replica }) => replica));
    for (const stream of this.history.streams) {
      this.checkStream(stream, eventsOf.get(stream.topic) ?? []);
      if (stream.discarded === null) continue;
      const life = { start: stream.since, end: stream.discarded };
      if ([...replicas].every((replica) => this.hearing.of(replica, life) === life.end - life.start)) {
        this.found('a session was forgotten', `one of ${stream.topic}, ${during(life)}, while nothing was disturbed`);
      }
    }
  }

  /** A session that received an event must also have received all events that ended before that event began. */
  private checkStream({ topic, since, received }: Stream, events: readonly PublishedEvent[]): void {
    const places = new Map(received.map((name, place) => [name, place]));
    const reported = events.filter(({ name }) => places.has(name));
    for (const event of events) {
      const place = places.get(event.name) ?? Number.POSITIVE_INFINITY;
      const later = reported.find(({ name, start }) => start > event.end && (places.get(name) ?? 0) < place);
      if (event.start < since || !later) continue;
      this.found(
        'an event was passed over',
        `a session that began at ${at(since)} heard of ${later.name} of ${topic}, done ${during(later)}, and not before it of ` +
          `${event.name}, done ${during(event)}`,
      );
    }
  }

  private checkLogouts(): void {
    const { credentials, disturbances, logins, tokens, end: finish } = this.history;
    const logouts = byKey(
      tokens.filter(({ kind }) => kind === 'logout token'),
      ({ sid }) => sid,
    );
    const calm = Math.max(0, ...disturbances.map(({ end }) => end));
    for (const { credential: id, sid, application } of logins) {
      const credential = credentials.get(id);
      if (!credential) throw new Error(`${id} was never issued`);
      const received = logouts.get(sid) ?? [];
      const end = this.endOf(credential);
      const isDeleted = this.revocationsOf.get(application)?.some(({ outcome }) => outcome !== 'refused');
      if (end && received.length === 0 && !isDeleted && finish - Math.max(end.end, calm) > this.promises.loggedOut)
        this.found('a session ended without its logout token', `${id}, by ${end.kind} (${during(end)})`, true);
      const early = received.find(({ at: arrival }) => arrival < this.doubtedFrom(credential));
      if (early) this.found('a logout token without a cause', `${id} at ${at(early.at)}`);
    }
  }

  /**
   * Clients must find the key of a token in the sets that they have fetched. A rotation activates the keys that the one
   * before it has published. So at least two rotations are between a set without a key and a token of this key. The key
   * stays published until its last token has expired, which is after the end of the run.
   */
  private checkKeys(): void {
    const { tokens, keySets } = this.history;
    const rotations = this.rotationIntervals();
    for (const token of tokens) {
      const kid = kidOf(token.token);
      const sets = keySets.filter((set) => {
        if (set.start > token.at) return true;
        const between = rotations.filter(({ start, end }) => start < token.at && end > set.start);
        return set.end < token.at && between.length < 2;
      });
      for (const set of sets) if (!set.keys.some((key) => key.kid === kid)) this.lacks(set, token);
      const key = keySets.flatMap(({ keys }) => keys).find((one) => one.kid === kid);
      if (key && !isSigned(token.token, key))
        this.found('a token with a wrong signature', `${token.kind} of ${token.sid}`);
    }
  }

  /** If a rotation failed, the next keys may be missing until the next successful one. */
  private rotationIntervals(): Interval[] {
    const { rotations } = this.history;
    return rotations.map(({ start }, n) => ({
      start,
      end: rotations.slice(n).find(({ outcome }) => outcome === 'ok')?.end ?? Number.POSITIVE_INFINITY,
    }));
  }

  private lacks(set: KeySet, { kind, sid }: SignedToken): void {
    this.found('a key set without the key of a token', `replica ${set.replica}, ${during(set)}: the ${kind} of ${sid}`);
  }
}
