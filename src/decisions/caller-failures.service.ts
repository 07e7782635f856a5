import { Injectable } from '@nestjs/common';
import { AbuseScores, REJECTED_CREDENTIAL_WEIGHT, weightOf } from '../bans/abuse-scores.service.js';
import { IpBans } from '../bans/ip-bans.service.js';
import { addressKey } from '../core/address.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import type { ApiError } from '../core/errors.js';
import type { Rejection } from '../pipeline/service-policies.service.js';
import { Background } from '../platform/process/background.js';
import { SharedStore } from '../platform/store/shared-store.js';

interface Failure extends Pick<Rejection, 'status' | 'identity' | 'isCredentialRejected' | 'code'> {
  readonly authorization?: string | undefined;
}

/**
 * Counts rejected callers by the IP address that a service names. The counts and the bans that follow apply only to
 * decisions for this application, because a service could name any IP address.
 */
@Injectable()
export class CallerFailures {
  constructor(
    private readonly scores: AbuseScores,
    private readonly bans: IpBans,
    private readonly store: SharedStore,
    private readonly background: Background,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** The error for an IP address that has had too many failures at an application; null if it has not. */
  async find(applicationId: string, address: string): Promise<ApiError | null> {
    if (!this.scores.canBeBanned(address)) return null;
    const key = banKey(applicationId, address);
    if ((await this.store.strikes(key)) === 0) return null;
    const expiresAt = new Date(1000 * (await this.store.add(`${key}/end`, 0, 1)));
    return this.bans.errorOf(address, { kind: 'temporary_24h', expiresAt });
  }

  /** Records a rejected caller without delaying the response. */
  record(applicationId: string, address: string, failure: Failure): void {
    const { status, identity, isCredentialRejected, code, authorization } = failure;
    const isBanned = code === 'GLOBAL_IP_BANNED' || code === 'GLOBAL_IP_TEMPORARILY_BANNED';
    if (identity || isBanned || !this.scores.canBeBanned(address)) return;
    const rejected = isCredentialRejected ? authorization : undefined;
    const weight = weightOf(status) + (rejected === undefined ? 0 : REJECTED_CREDENTIAL_WEIGHT);
    this.background.run('counting a rejected caller of a service', async () => {
      const verdict = await this.scores.add(address, { weight, rejected }, this.clock.seconds(), `${applicationId}/`);
      if (verdict) await this.ban(applicationId, address);
    });
  }

  private async ban(applicationId: string, address: string): Promise<void> {
    const { seconds } = this.config.abuse;
    const key = banKey(applicationId, address);
    // Only one of several failures at the same time begins the ban.
    if (!(await this.store.take(key, 1, seconds)).admitted) return;
    await this.store.add(`${key}/end`, this.clock.seconds() + seconds, seconds);
    await this.store.strike(key, seconds);
  }
}

const banKey = (applicationId: string, address: string): string =>
  `decisions/ban ${applicationId}/${addressKey(address)}`;
