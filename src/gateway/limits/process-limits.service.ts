import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import type { AddressUse } from '../protocol/windows.js';
import type { GatewaySession } from '../sessions/session.js';
import { GatewayLimits, isWithinSocketLimits } from './limits.js';

/** Counts limits within the process. */
@Injectable()
export class ProcessLimits extends GatewayLimits {
  constructor(
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    super();
  }

  takePayload(use: AddressUse, session: GatewaySession | null): boolean {
    const { payloads_per_session, payloads_per_address, window_ms } = this.config.gateway;
    const now = this.clock.monotonic();
    return (
      (session?.payloads.take(now, payloads_per_session, window_ms) ?? true) &&
      use.takePayload(now, payloads_per_address, window_ms)
    );
  }

  takeAttempt(use: AddressUse): boolean {
    const { attempts_per_address, window_ms } = this.config.gateway;
    return use.takeAttempt(this.clock.monotonic(), attempts_per_address, window_ms);
  }

  allowsSocket(use: AddressUse, foreign: AddressUse | null): boolean {
    return isWithinSocketLimits(this.config, [use.sockets, foreign?.sockets ?? 0]);
  }

  onSocketClosed(): void {}
  tick(): void {}
  async removeOwnCounts(): Promise<void> {}
}
