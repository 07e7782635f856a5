import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import { addressIsIn, addressKey } from '../core/address.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { Database, type Tx } from '../platform/database/database.js';
import { SerialQueue } from '../platform/database/serial-queue.js';
import { Cleanup } from '../platform/jobs/cleanup.js';
import { ReplicaBus } from '../platform/replicas/replica-bus.js';
import { IpBanEntry } from './bans.entities.js';
import { banCoverage, type Network, parseNetwork } from './networks.js';

const SWEEP_MS = 60_000;

export type IpBan = Pick<IpBanEntry, 'value' | 'kind' | 'expiresAt'>;

type NewBan = Omit<IpBanEntry, 'createdAt' | 'expiresAt'>;

/** A change of a ban. `ban` is `null` if it was lifted. */
export interface IpBanChange {
  readonly value: string;
  readonly ban: Pick<IpBanEntry, 'kind' | 'reason' | 'expiresAt'> | null;
}

type Recorder = (tx: Tx, changes: readonly IpBanChange[]) => Promise<void>;

/** Indexes bans by the networks that they cover, so that the cost of a lookup does not depend on their number. */
class BanIndex {
  private readonly entries = new Map<string, { readonly reach: Network; readonly ban: IpBan }>();
  /** IPv4 addresses and IPv6 /64 networks, by address key. Several bans may cover the same one. */
  private readonly hosts = new Map<string, Map<string, IpBan>>();
  /** Other networks, by prefix length and then by prefix. */
  private readonly ranges = new Map<string, { kind: string; bits: number; bans: Map<bigint, IpBan> }>();

  put(ban: IpBan): void {
    const network = parseNetwork(ban.value);
    if (!network) return;
    const reach = banCoverage(network);
    this.entries.set(ban.value, { reach, ban });
    if (isExact(reach)) getOrCreate(this.hosts, hostKey(ban.value), () => new Map<string, IpBan>()).set(ban.value, ban);
    else
      getOrCreate(this.ranges, prefixLengthKey(reach), () => ({ ...reach, bans: new Map() })).bans.set(
        reach.prefix,
        ban,
      );
  }

  remove(value: string): void {
    const reach = this.entries.get(value)?.reach;
    if (!reach) return;
    this.entries.delete(value);
    if (!isExact(reach)) {
      const length = this.ranges.get(prefixLengthKey(reach));
      length?.bans.delete(reach.prefix);
      if (length?.bans.size === 0) this.ranges.delete(prefixLengthKey(reach));
      return;
    }
    const bans = this.hosts.get(hostKey(value));
    bans?.delete(value);
    if (bans?.size === 0) this.hosts.delete(hostKey(value));
  }

  get size(): number {
    return this.entries.size;
  }

  removeExpired(now: number): void {
    for (const [value, { ban }] of this.entries) if (hasExpired(ban, now)) this.remove(value);
  }

  *covering(address: string): Iterable<IpBan> {
    if (this.hosts.size > 0) yield* this.hosts.get(addressKey(address))?.values() ?? [];
    if (this.ranges.size === 0) return;
    const whole = parseNetwork(address);
    if (!whole) return;
    for (const { kind, bits, bans } of this.ranges.values()) {
      const ban = kind === whole.kind && bans.get(whole.prefix >> BigInt(whole.bits - bits));
      if (ban) yield ban;
    }
  }
}

function getOrCreate<T>(map: Map<string, T>, key: string, fresh: () => T): T {
  const known = map.get(key) ?? fresh();
  map.set(key, known);
  return known;
}

const hasExpired = ({ expiresAt }: IpBan, now: number): boolean => expiresAt !== null && expiresAt.getTime() <= now;
const isExact = ({ kind, bits }: Network): boolean => bits === (kind === 'ipv4' ? 32 : 64);
const prefixLengthKey = ({ kind, bits }: Network): string => `${kind}/${bits}`;
const hostKey = (value: string): string => addressKey(value.split('/')[0] as string);

/**
 * IP bans. The table is the source of truth; every replica has a copy in memory and is notified of changes. If the
 * table cannot be read, the last copy stays in force.
 */
@Injectable()
export class IpBans implements OnModuleInit, OnModuleDestroy {
  private index = new BanIndex();
  private readonly turns = new SerialQueue();
  private recorder: Recorder | undefined;
  private sweeper: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly replicaBus: ReplicaBus,
    private readonly clock: Clock,
    private readonly config: Config,
    cleanup: Cleanup,
  ) {
    cleanup.addExpiry('ip_ban', 'value', 'expires_at < now()');
  }

  async onModuleInit(): Promise<void> {
    const refresh = ({ values }: Record<string, unknown>) => this.turns.run(() => this.refresh(values as string[]));
    const reload = () => this.turns.run(() => this.reload());
    this.replicaBus.on('ip-ban', refresh);
    this.replicaBus.on('resync', reload);
    await reload();
    this.sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.sweeper);
  }

  /** Number of bans in memory. */
  get size(): number {
    return this.index.size;
  }

  /** Removes expired bans from memory. A background job deletes their rows. */
  sweep(): void {
    this.index.removeExpired(this.clock.now());
  }

  /** Returns the ban that covers an IP address, or `null`. A permanent ban takes precedence over a temporary one. */
  find(address: string): IpBan | null {
    let found: IpBan | null = null;
    for (const ban of this.index.covering(address)) {
      if (hasExpired(ban, this.clock.now())) continue;
      if (!ban.expiresAt) found = ban;
      else found ??= ban;
    }
    return found && !this.isExempt(address) ? found : null;
  }

  /** @throws ApiError GLOBAL_IP_BANNED, GLOBAL_IP_TEMPORARILY_BANNED */
  assertNotBanned(address: string): void {
    const ban = this.find(address);
    if (ban) throw this.errorOf(address, ban);
  }

  /** The error for a banned IP address. */
  errorOf(address: string, { kind, expiresAt }: Omit<IpBan, 'value'>): ApiError {
    const { appealEmail } = this.config;
    return new ApiError(expiresAt ? 'GLOBAL_IP_TEMPORARILY_BANNED' : 'GLOBAL_IP_BANNED', {
      ip_address: address,
      ban_kind: kind,
      expires_at: expiresAt?.toISOString() ?? null,
      appeal_email: appealEmail ?? null,
      appeals_supported: !expiresAt && appealEmail !== undefined,
    });
  }

  isExempt(address: string): boolean {
    return addressIsIn(address, this.config.abuse.exempt) || addressIsIn(address, this.config.trustedProxies);
  }

  /** Calls `recorder` in the transaction of each change. */
  recordWith(recorder: Recorder): void {
    this.recorder = recorder;
  }

  /**
   * Creates or updates the ban of an IP address or CIDR range in canonical form. A temporary ban never replaces a
   * permanent one.
   */
  async add(tx: Tx, ban: NewBan, seconds: number | null): Promise<void> {
    const stored = await this.put(tx, ban, seconds);
    if (stored) await this.recorder?.(tx, [{ value: ban.value, ban: { ...ban, ...stored } }]);
  }

  /** Like `add`, but not recorded. Returns null if a permanent ban stays. */
  async put(
    tx: Tx,
    { value, kind, reason, createdByUserId, signals }: NewBan,
    seconds: number | null,
  ): Promise<Pick<IpBanEntry, 'expiresAt'> | null> {
    const [stored = null] = await tx.query<{ expiresAt: Date | null }[]>(
      `INSERT INTO ip_ban (value, kind, reason, expires_at, created_by_user_id, signals)
       VALUES ($1, $2, $3, now() + $4 * interval '1 second', $5, $6)
       ON CONFLICT (value) DO UPDATE SET kind = excluded.kind, reason = excluded.reason,
         expires_at = excluded.expires_at, created_by_user_id = excluded.created_by_user_id,
         signals = excluded.signals
       WHERE ip_ban.expires_at IS NOT NULL OR excluded.expires_at IS NULL
       RETURNING expires_at AS "expiresAt"`,
      [value, kind, reason, seconds, createdByUserId, signals && JSON.stringify(signals)],
    );
    await this.announce(tx, [value]);
    return stored;
  }

  /** Lifts the bans of exactly these IP addresses and ranges. */
  async lift(tx: Tx, values: readonly string[]): Promise<void> {
    const lifted = await this.remove(tx, values);
    if (lifted.length > 0) {
      await this.recorder?.(
        tx,
        lifted.map((value) => ({ value, ban: null })),
      );
    }
  }

  /** Like `lift`, but not recorded. Returns those that existed. */
  async remove(tx: Tx, values: readonly string[]): Promise<string[]> {
    const [rows] = await tx.query<[rows: { value: string }[], count: number]>(
      'DELETE FROM ip_ban WHERE value = ANY ($1) RETURNING value',
      [values],
    );
    await this.announce(tx, values);
    return rows.map(({ value }) => value);
  }

  private async announce(tx: Tx, values: readonly string[]): Promise<void> {
    await this.replicaBus.announce(tx, { topic: 'ip-ban', data: { values } });
  }

  private async refresh(values: readonly string[]): Promise<void> {
    const stored = await this.database.manager
      .createQueryBuilder(IpBanEntry, 'b')
      .where('b.value = ANY (:values)', { values })
      .getMany();
    for (const value of values) this.index.remove(value);
    for (const ban of stored) this.index.put(ban);
  }

  private async reload(): Promise<void> {
    const index = new BanIndex();
    const inForce = [{ expiresAt: IsNull() }, { expiresAt: MoreThan(this.clock.date()) }];
    for (const ban of await this.database.manager.find(IpBanEntry, { where: inForce })) index.put(ban);
    this.index = index;
  }
}
