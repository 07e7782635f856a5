import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { clientAddress } from '../core/address.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { Log } from '../core/log.js';

const WARNING_INTERVAL_MS = 60_000;

/** Determines the client IP address of a request. Logs a proxy that does not forward it, at most once a minute. */
@Injectable()
export class ClientAddresses {
  private warnedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  addressOf(req: IncomingMessage): string | null {
    const address = clientAddress(req, this.config.trustedProxies);
    if (address === null) this.warnAboutProxy(req);
    return address;
  }

  private warnAboutProxy({ socket, headers }: IncomingMessage): void {
    const now = this.clock.monotonic();
    if (now - this.warnedAt < WARNING_INTERVAL_MS) return;
    this.warnedAt = now;
    const cause = headers['x-forwarded-for'] === undefined ? 'no X-Forwarded-For' : 'an invalid X-Forwarded-For';
    this.log.warn(`requests rejected: a proxy in TRUSTED_PROXIES sends ${cause}`, { peer: socket.remoteAddress });
  }
}
