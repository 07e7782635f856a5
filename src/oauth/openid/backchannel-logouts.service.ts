import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SignJWT } from 'jose';
import type { SigningAlgorithm } from '../../accounts/grants/oauth.entities.js';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { Metrics } from '../../core/metrics.js';
import { Database } from '../../platform/database/database.js';
import { Cleanup } from '../../platform/jobs/cleanup.js';
import { DeliveryQueue } from '../../platform/outbound/delivery-queue.js';
import { OutboundFault } from '../../platform/outbound/network.js';
import { Outbound } from '../../platform/outbound/outbound.js';
import { backOffSeconds } from '../../platform/process/polling-worker.js';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { Applications } from '../applications/applications.service.js';
import { SigningKeys } from './signing-keys.service.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const TOKEN_SECONDS = 120;
const TIMEOUT_MS = 5_000;
const CONCURRENT_PER_HOST = 2;
const REQUESTS_PER_SECOND = 10;
const RETRY = "interval '15 minutes'";
const DEFAULT_PAGE_SIZE = 50;

const DUE_COLUMNS = `d.id, d.url, d.jti, d.application_id, d.account_id, d.sid, d.attempts,
    d.created_at <= now() - ${RETRY} AS is_last, a.id_token_signed_response_alg AS alg`;

/** The IDs of account and session are deleted as soon as they are no longer needed. */
const END = `
  UPDATE backchannel_logout SET attempts = attempts + 1, ended_at = now(), is_delivered = $2, account_id = NULL, sid = NULL
  WHERE id = $1`;

const POSTPONE = `
  UPDATE backchannel_logout SET attempts = attempts + 1,
    next_attempt_at = least(now() + make_interval(secs => $2), created_at + ${RETRY})
  WHERE id = $1`;

/** Nothing about the response, because it could come from a host that only the service can reach. */
const ENDED_TOKENS = `
  SELECT id, is_delivered, created_at, ended_at FROM backchannel_logout
  WHERE application_id = $1 AND ended_at IS NOT NULL AND id < coalesce($2::bigint, 9223372036854775807)
  ORDER BY id DESC LIMIT $3`;

interface EndedToken {
  readonly id: string;
  readonly is_delivered: boolean;
  readonly created_at: Date;
  readonly ended_at: Date;
}

interface DueToken {
  readonly id: string;
  readonly url: string;
  readonly jti: string;
  readonly application_id: string;
  readonly account_id: string;
  readonly sid: string;
  readonly attempts: number;
  readonly is_last: boolean;
  /** `null` if the application was deleted. */
  readonly alg: SigningAlgorithm | null;
}

/**
 * Sends logout tokens to applications (contract/openid.md section 6). A transactional outbox: a trigger on the table of
 * sessions writes a row for each application that has an ID token of an ended session. Any free process delivers it
 * after the commit, at least once with the same `jti`.
 */
@Injectable()
export class BackchannelLogouts implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly queue: DeliveryQueue<DueToken>;

  constructor(
    private readonly database: Database,
    private readonly keys: SigningKeys,
    private readonly outbound: Outbound,
    private readonly config: Config,
    private readonly clock: Clock,
    log: Log,
    replicaBus: ReplicaBus,
    private readonly metrics: Metrics,
    cleanup: Cleanup,
    private readonly applications: Applications,
  ) {
    this.queue = new DeliveryQueue<DueToken>(database, log, {
      ...{ name: 'backchannel', table: 'backchannel_logout', laneTable: 'backchannel_host' },
      lane: { column: 'host', type: 'text' },
      select: DUE_COLUMNS,
      join: 'LEFT JOIN application a ON a.id = d.application_id',
      concurrentPerLane: CONCURRENT_PER_HOST,
      requestsPerSecond: REQUESTS_PER_SECOND,
      attempt: (token) => this.attempt(token),
    });
    if (config.openid.isEnabled) replicaBus.on('revoked', ({ sessions }) => (sessions ? this.queue.wake() : undefined));
    cleanup.addExpiry('backchannel_logout', 'id', "created_at < now() - interval '7 days'");
    cleanup.addExpiry('backchannel_host', 'host', "next_attempt_at < now() - interval '1 day'");
  }

  onApplicationBootstrap(): void {
    if (this.config.openid.isEnabled) this.queue.start();
  }

  /** Lists what has become of the logout tokens of an application, for its owner. */
  async list({ account }: SessionIdentity, id: string, page: { before?: string; limit?: number }) {
    await this.applications.requireOwn(account, id);
    const { before = null, limit = DEFAULT_PAGE_SIZE } = page;
    const ended = await this.database.statement<EndedToken>('backchannel-ended', ENDED_TOKENS, [id, before, limit]);
    return ended.map((token) => ({
      id: token.id,
      outcome: token.is_delivered ? ('delivered' as const) : ('failed' as const),
      created_at: token.created_at.toISOString(),
      completed_at: token.ended_at.toISOString(),
    }));
  }

  /** Sends a token once and stores the outcome. Returns whether the host gave a final response. */
  private async attempt(token: DueToken): Promise<boolean> {
    const status = token.alg === null ? 400 : await this.send(token, token.alg);
    const isDelivered = status !== null && status < 300;
    const isFinal = isDelivered || status === 400;
    if (isFinal || token.is_last) {
      this.metrics.add('gatehouse_backchannel_logouts_total', { outcome: isDelivered ? 'delivered' : 'failed' });
      await this.database.statement('backchannel-end', END, [token.id, isDelivered]);
    } else {
      this.metrics.add('gatehouse_backchannel_logouts_total', { outcome: 'retried' });
      const delay = backOffSeconds(token.attempts + 1);
      await this.database.statement('backchannel-postpone', POSTPONE, [token.id, delay]);
    }
    return isFinal;
  }

  /** Returns the status of the response, or `null` without a response. */
  private async send({ url, ...token }: DueToken, alg: SigningAlgorithm): Promise<number | null> {
    const { allowPrivateBackchannel: isAnywhere } = this.config.openid;
    if (!isAnywhere && !url.startsWith('https:')) return null;
    try {
      const { status } = await this.outbound.request({
        ...{ url, method: 'POST', timeoutMs: TIMEOUT_MS, isBodyIgnored: true },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ logout_token: await this.sign(token, alg) }).toString(),
        // The owner of an application is a user.
        addressPolicy: isAnywhere ? 'anywhere' : 'foreign',
      });
      return status;
    } catch (error) {
      if (!(error instanceof OutboundFault)) throw error;
      return null;
    }
  }

  private async sign(token: Omit<DueToken, 'url'>, alg: SigningAlgorithm): Promise<string> {
    const key = await this.keys.current(alg);
    const issuedAt = this.clock.seconds();
    return new SignJWT({
      ...{ iss: this.config.publicOrigin, aud: token.application_id, iat: issuedAt, exp: issuedAt + TOKEN_SECONDS },
      ...{ jti: token.jti, sub: token.account_id, sid: token.sid, events: { [EVENT]: {} } },
    })
      .setProtectedHeader({ alg, typ: 'logout+jwt', kid: key.kid })
      .sign(await this.keys.privateKey(key));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.queue.stop();
  }
}
