import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { batchById } from '../../platform/database/batcher.js';
import { SharedStore } from '../../platform/store/shared-store.js';
import type { AddressUse } from '../protocol/windows.js';
import type { GatewaySession } from '../sessions/session.js';
import { SessionStore } from '../store/session-store.js';
import { GatewayLimits, isWithinSocketLimits } from './limits.js';

/** Counts limits across all replicas. If the store does not respond, each process uses its own counts. */
@Injectable()
export class SharedLimits extends GatewayLimits {
  /** IP addresses whose socket count in the store is too high. */
  private readonly unreported = new Set<AddressUse>();
  private readonly pendingReports = new Map<string, AddressUse>();
  private readonly countElsewhere = batchById((keys) => this.reportAndCount(keys));
  private renewAt = Number.NEGATIVE_INFINITY;
  private reporting: Promise<unknown> | null = null;

  constructor(
    private readonly sessions: SessionStore,
    private readonly counters: SharedStore,
    private readonly config: Config,
  ) {
    super();
  }

  async takePayload(use: AddressUse, session: GatewaySession | null): Promise<boolean> {
    const { payloads_per_session, payloads_per_address } = this.config.gateway;
    if (session && (await this.count('session', session.id)) > payloads_per_session) return false;
    return (await this.count('payloads', use.key)) <= payloads_per_address;
  }

  async takeAttempt(use: AddressUse): Promise<boolean> {
    return (await this.count('attempts', use.key)) <= this.config.gateway.attempts_per_address;
  }

  private async count(what: string, key: string): Promise<number> {
    const name = `gateway/${what} ${hash('sha256', key, 'base64url')}`;
    return this.counters.add(name, 1, Math.ceil(this.config.gateway.window_ms / 1000));
  }

  allowsSocket(use: AddressUse, foreign: AddressUse | null): boolean | Promise<boolean> {
    const uses = foreign ? [use, foreign] : [use];
    if (
      !isWithinSocketLimits(
        this.config,
        uses.map(({ sockets }) => sockets),
      )
    )
      return false;
    // Sockets that are reported in one batch must each count the sockets opened before them, so record the counts now.
    const places = uses.map(({ sockets }) => sockets);
    for (const each of uses) this.pendingReports.set(each.key, each);
    return Promise.all(uses.map(({ key }) => this.countElsewhere(key))).then((others) =>
      isWithinSocketLimits(
        this.config,
        places.map((place, n) => place + (others[n] ?? 0)),
      ),
    );
  }

  /** Reports the local socket counts to the store and returns the counts of the other processes. */
  private async reportAndCount(keys: readonly string[]): Promise<Map<string, number>> {
    const reported = keys
      .flatMap((key) => this.pendingReports.get(key) ?? [])
      .map(({ key, sockets }) => ({ key, sockets }));
    for (const key of keys) this.pendingReports.delete(key);
    const totals = await this.report(reported);
    return new Map(totals.map((total, n) => [reported[n]?.key ?? '', total - (reported[n]?.sockets ?? 0)]));
  }

  onSocketClosed(use: AddressUse): void {
    this.unreported.add(use);
  }

  private async report(uses: readonly Pick<AddressUse, 'key' | 'sockets'>[]): Promise<number[]> {
    try {
      return await this.sessions.sockets(uses.map(({ key, sockets }) => ({ key, count: sockets })));
    } catch {
      return [];
    }
  }

  tick(now: number, addresses: Iterable<AddressUse>): void {
    if (this.reporting) return;
    const isDue = now >= this.renewAt;
    if (isDue) this.renewAt = now + this.config.gateway.renew_ms;
    const uses = new Set([...this.unreported, ...(isDue ? addresses : [])]);
    this.unreported.clear();
    if (uses.size === 0) return;
    this.reporting = this.report([...uses]).finally(() => {
      this.reporting = null;
    });
  }

  async removeOwnCounts(addresses: Iterable<AddressUse>): Promise<void> {
    await this.reporting;
    const uses = new Set([...this.unreported, ...addresses]);
    await this.report([...uses].map(({ key }) => ({ key, sockets: 0 })));
  }
}
