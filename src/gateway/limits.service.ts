import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Config } from '../config.js';
import { SessionStore } from '../platform/session-store.js';
import { SharedStore } from '../platform/shared-store.js';
import type { GatewaySession } from './session.js';
import type { AddressUse } from './windows.js';

/**
 * What clients may use up (contract/gateway.md section 10): counted in the process or, where sessions are shared, by all
 * replicas together. A store that does not answer leaves each process its own count.
 */
@Injectable()
export class GatewayLimits {
  /** Addresses of which the store knows more sockets than there are. */
  private readonly unsaid = new Set<AddressUse>();
  private renewAt = Number.NEGATIVE_INFINITY;
  private saying: Promise<unknown> | null = null;

  constructor(
    private readonly sessions: SessionStore,
    private readonly counters: SharedStore,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  takePayload(use: AddressUse, session: GatewaySession | null): boolean | Promise<boolean> {
    const { payloads_per_session, payloads_per_address, window_ms } = this.config.gateway;
    if (this.sessions.isShared) return this.takeShared(use, session);
    const now = this.clock.monotonic();
    return (
      (session?.payloads.take(now, payloads_per_session, window_ms) ?? true) &&
      use.takePayload(now, payloads_per_address, window_ms)
    );
  }

  private async takeShared(use: AddressUse, session: GatewaySession | null): Promise<boolean> {
    const { payloads_per_session, payloads_per_address } = this.config.gateway;
    if (session && (await this.count('session', session.id)) > payloads_per_session) return false;
    return (await this.count('payloads', use.key)) <= payloads_per_address;
  }

  takeAttempt(use: AddressUse): boolean | Promise<boolean> {
    const { attempts_per_address, window_ms } = this.config.gateway;
    if (!this.sessions.isShared) return use.takeAttempt(this.clock.monotonic(), attempts_per_address, window_ms);
    return this.count('attempts', use.key).then((attempts) => attempts <= attempts_per_address);
  }

  private async count(what: string, key: string): Promise<number> {
    const name = `gateway:${what}:${hash('sha256', key, 'base64url')}`;
    return this.counters.add(name, 1, Math.ceil(this.config.gateway.window_ms / 1000));
  }

  /** Whether the address may have as many sockets as it has. */
  hasRoom(use: AddressUse): boolean | Promise<boolean> {
    const { sockets_per_address: limit } = this.config.gateway;
    if (use.sockets > limit) return false;
    if (!this.sessions.isShared) return true;
    return this.say([use]).then(([total = 0]) => total <= limit);
  }

  left(use: AddressUse): void {
    if (this.sessions.isShared) this.unsaid.add(use);
  }

  private async say(uses: readonly Pick<AddressUse, 'key' | 'sockets'>[]): Promise<number[]> {
    try {
      return await this.sessions.sockets(uses.map(({ key, sockets }) => ({ key, count: sockets })));
    } catch {
      return [];
    }
  }

  tick(now: number, addresses: Iterable<AddressUse>): void {
    if (!this.sessions.isShared || this.saying) return;
    const isDue = now >= this.renewAt;
    if (isDue) this.renewAt = now + this.config.gateway.renew_ms;
    const uses = new Set([...this.unsaid, ...(isDue ? addresses : [])]);
    this.unsaid.clear();
    if (uses.size === 0) return;
    this.saying = this.say([...uses]).finally(() => {
      this.saying = null;
    });
  }

  /** The process leaves with its sockets. */
  async leave(addresses: Iterable<AddressUse>): Promise<void> {
    await this.saying;
    const uses = new Set([...this.unsaid, ...addresses]);
    if (this.sessions.isShared) await this.say([...uses].map(({ key }) => ({ key, sockets: 0 })));
  }
}
