import { Injectable } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { Log } from '../core/log.js';
import { Metrics } from '../core/metrics.js';
import { isFromExternalPage } from '../http/cross-origin.js';
import { Database } from '../platform/database/database.js';
import { Background } from '../platform/process/background.js';
import { SharedStore } from '../platform/store/shared-store.js';
import type { Call } from '../policy/call.js';
import { parseBareToken } from '../policy/credential.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import { AbuseScores, type AbuseSignal, REJECTED_CREDENTIAL_WEIGHT, weightOf } from './abuse-scores.service.js';
import { IpBans } from './ip-bans.service.js';

function toSignal(call: Call, status: number): AbuseSignal {
  const { identity, authorization, outcome, plan } = call;
  const answered = identity || call.client ? 0 : weightOf(status);
  const [presented] = authorization;
  const isAdminElsewhere = presented?.startsWith('Admin ') === true && plan?.policy.kind !== 'AdminAcl';
  const rejected = outcome === 'INVALID_CLIENT' ? call.clientCredential : rejectedCredential(call);
  if (rejected === undefined || isAdminElsewhere) return { weight: answered };
  return { weight: answered + REJECTED_CREDENTIAL_WEIGHT, rejected };
}

/**
 * Returns the rejected credential. It is normalized, so that the same credential counts as the same guess in every
 * spelling, including at the gateway.
 */
function rejectedCredential({ credential, identity, authorization }: Call): string | undefined {
  if (!credential || credential.kind === 'none' || identity) return undefined;
  return credential.kind === 'malformed' ? authorization.join('\n') : guessKey(credential.kind, credential.token);
}

const guessKey = (kind: string, token: string): string => `${kind} ${token}`;

/**
 * Counts failures per IP address in windows of five minutes, and bans IP addresses with too many (conventions.md 9).
 */
@Injectable()
export class AbuseTracker {
  constructor(
    private readonly database: Database,
    private readonly store: SharedStore,
    private readonly bans: IpBans,
    private readonly scores: AbuseScores,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly background: Background,
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly features: FeatureRegistry,
  ) {}

  /** Records the response to a request without delaying it. */
  recordResponse(call: Call, status: number): void {
    const isBanned = call.outcome === 'GLOBAL_IP_BANNED' || call.outcome === 'GLOBAL_IP_TEMPORARILY_BANNED';
    if (status < 400 && call.identity) return;
    if (isBanned || call.outcome === 'CLIENT_GONE' || !this.scores.canBeBanned(call.address)) return;
    // A web page cannot make a browser send an `Authorization` header to another site. Therefore, only requests without
    // one are ignored if they come from an external page.
    if (call.authorization.length === 0 && isFromExternalPage(call.req.headers, this.config)) return;
    if (this.isForgiven(call, status)) return;
    const signal = toSignal(call, status);
    if (signal.weight > 0) this.record(call.address, signal);
  }

  /** Records a credential that the gateway rejected. */
  recordRejectedToken(address: string, token: string): void {
    const { kind } = parseBareToken(token);
    const rejected = kind === 'malformed' ? token : guessKey(kind, token);
    if (this.scores.canBeBanned(address)) this.record(address, { weight: REJECTED_CREDENTIAL_WEIGHT, rejected });
  }

  private isForgiven({ plan }: Call, status: number): boolean {
    const [, , options] = this.features.buckets.get(plan?.policy.bucket?.name ?? '') ?? [];
    const forgivenFailures = options?.forgivenFailures;
    return forgivenFailures === 'all' || forgivenFailures?.includes(status) === true;
  }

  private record(address: string, signal: AbuseSignal): void {
    this.metrics.add('gatehouse_abuse_signals_total', {
      signal: signal.rejected ? 'rejected_credential' : 'refused_answer',
    });
    const seconds = this.clock.seconds();
    this.background.run('counting a failure against an address', () => this.addToScore(address, signal, seconds));
  }

  private async addToScore(address: string, signal: AbuseSignal, seconds: number): Promise<void> {
    const verdict = await this.scores.add(address, signal, seconds);
    if (!verdict) return;
    const { key, window, left, signals } = verdict;
    const ban = { value: key, kind: 'temporary_24h', reason: 'automatic', createdByUserId: null, signals } as const;
    await this.banOnce(`abuse/ban ${key}/${window}`, left, ban);
  }

  /** Bans once if many failures reach the limit at the same time. If the write fails, the next failure tries again. */
  private async banOnce(key: string, left: number, ban: Parameters<IpBans['add']>[1]): Promise<void> {
    const { seconds } = this.config.abuse;
    if (!(await this.store.take(key, 1, left)).admitted) return;
    try {
      await this.database.transaction((tx) => this.bans.add(tx, ban, seconds));
    } catch (error) {
      await this.store.reset(key);
      throw error;
    }
    this.metrics.add('gatehouse_abuse_signals_total', { signal: 'ban' });
    this.log.warn('IP address banned after repeated failures', { seconds });
  }
}
