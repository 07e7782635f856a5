import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SignJWT } from 'jose';
import type { SigningAlgorithm } from '../../accounts/grants/oauth.entities.js';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { Metrics } from '../../core/metrics.js';
import { Database } from '../../platform/database/database.js';
import { Cleanup } from '../../platform/jobs/cleanup.js';
import { OutboundFault } from '../../platform/outbound/network.js';
import { Outbound } from '../../platform/outbound/outbound.js';
import { backOffSeconds, PollingWorker } from '../../platform/process/polling-worker.js';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { Applications } from '../applications/applications.service.js';
import { SigningKeys } from './signing-keys.service.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const TOKEN_SECONDS = 120;
const TIMEOUT_MS = 5_000;
const CONCURRENT_PER_HOST = 2;
const REQUESTS_PER_SECOND = 10;
const FAILURES_BEFORE_PAUSE = 20;
const PAUSE_MS = 60_000;
const RETRY = "interval '15 minutes'";
/** Longer than the requests of one claim take. After that, the process that claimed the host counts as crashed. */
const LEASE = "interval '60 seconds'";
const MAX_HOSTS_AT_ONCE = 64;
const HOSTS_PER_CLAIM = 20;
const DEFAULT_PAGE_SIZE = 50;

/**
 * Claims hosts for which tokens are due. One replica at a time sends to a host, so the limits of a host hold for all
 * replicas. The hosts are found one by one in the index, because a paused host may have many tokens.
 */
const CLAIM_HOSTS = `
  WITH RECURSIVE waiting AS (
    (SELECT host FROM backchannel_logout WHERE ended_at IS NULL ORDER BY host LIMIT 1)
    UNION ALL
    SELECT (SELECT l.host FROM backchannel_logout l WHERE l.ended_at IS NULL AND l.host > w.host ORDER BY l.host LIMIT 1)
    FROM waiting w WHERE w.host IS NOT NULL
  ), due AS MATERIALIZED (
    SELECT w.host FROM waiting w LEFT JOIN backchannel_host h ON h.host = w.host
    WHERE w.host IS NOT NULL AND coalesce(h.next_attempt_at <= now(), true)
      AND EXISTS (SELECT FROM backchannel_logout l
                  WHERE l.host = w.host AND l.ended_at IS NULL AND l.next_attempt_at <= now())
    LIMIT $1
  ), claimed AS (
    INSERT INTO backchannel_host AS h (host, lease, next_attempt_at)
    SELECT host, 1, now() + ${LEASE} FROM due ORDER BY host
    ON CONFLICT (host) DO UPDATE SET lease = h.lease + 1, next_attempt_at = excluded.next_attempt_at
      WHERE h.next_attempt_at <= now()
    RETURNING h.*
  )
  SELECT c.host, c.lease, c.failures, ARRAY(
      SELECT (extract(epoch FROM now() - at) * 1000)::float8 FROM unnest(c.recent) AS at
      WHERE at > now() - interval '1 second') AS ages
  FROM due LEFT JOIN claimed c ON c.host = due.host`;

const DUE_TOKENS = `
  SELECT l.id, l.host, l.url, l.jti, l.application_id, l.account_id, l.sid, l.attempts,
    l.created_at <= now() - ${RETRY} AS is_last, a.id_token_signed_response_alg AS alg
  FROM unnest($1::text[], $2::int[]) AS h (host, budget)
    CROSS JOIN LATERAL (
      SELECT * FROM backchannel_logout w WHERE w.host = h.host AND w.ended_at IS NULL AND w.next_attempt_at <= now()
      ORDER BY w.next_attempt_at LIMIT h.budget) l
    LEFT JOIN application a ON a.id = l.application_id`;

/** The IDs of account and session are deleted as soon as they are no longer needed. */
const END = `
  UPDATE backchannel_logout SET attempts = attempts + 1, ended_at = now(), is_delivered = $2, account_id = NULL, sid = NULL
  WHERE id = $1`;

const POSTPONE = `
  UPDATE backchannel_logout SET attempts = attempts + 1,
    next_attempt_at = least(now() + make_interval(secs => $2), created_at + ${RETRY})
  WHERE id = $1`;

const RELEASE_HOST = `
  UPDATE backchannel_host SET failures = $3, next_attempt_at = now() + $4::float8 * interval '1 millisecond',
    recent = ARRAY(SELECT now() - age * interval '1 millisecond' FROM unnest($5::float8[]) AS age)
  WHERE host = $1 AND lease = $2`;

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

interface ClaimedHost {
  readonly host: string;
  /** Number of the claim. */
  readonly lease: string;
  /** Number of failures in a row. */
  failures: number;
  /** Milliseconds since the ends of the requests in the last second. */
  readonly ages: readonly number[];
}

interface DueToken {
  readonly id: string;
  readonly host: string;
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
  private readonly worker: PollingWorker;
  private readonly batches = new Set<Promise<void>>();
  private isStopping = false;

  constructor(
    private readonly database: Database,
    private readonly keys: SigningKeys,
    private readonly outbound: Outbound,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly log: Log,
    replicaBus: ReplicaBus,
    private readonly metrics: Metrics,
    cleanup: Cleanup,
    private readonly applications: Applications,
  ) {
    this.worker = new PollingWorker(
      () => this.claim(),
      (error) => log.error('reading the queue of logout tokens failed', { error }),
      1,
    );
    if (config.openid.isEnabled)
      replicaBus.on('revoked', ({ sessions }) => (sessions ? this.worker.wake() : undefined));
    cleanup.addExpiry('backchannel_logout', 'id', "created_at < now() - interval '7 days'");
    cleanup.addExpiry('backchannel_host', 'host', "next_attempt_at < now() - interval '1 day'");
  }

  onApplicationBootstrap(): void {
    if (this.config.openid.isEnabled) this.worker.start();
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

  /** Claims due hosts and starts to send their tokens. Returns false if there is nothing to claim. */
  private async claim(): Promise<boolean> {
    const free = MAX_HOSTS_AT_ONCE - this.batches.size;
    if (free <= 0) return false;
    const due = await this.database.statement<ClaimedHost>('backchannel-claim', CLAIM_HOSTS, [
      Math.min(free, HOSTS_PER_CLAIM),
    ]);
    // A host without data was claimed by another process at the same time.
    const hosts = due.filter(({ host }) => host !== null);
    if (hosts.length > 0) {
      const tokens = await this.database.statement<DueToken>('backchannel-tokens', DUE_TOKENS, [
        hosts.map(({ host }) => host),
        hosts.map(({ ages }) => Math.max(0, REQUESTS_PER_SECOND - ages.length)),
      ]);
      for (const claimed of hosts) {
        this.start(
          claimed,
          tokens.filter(({ host }) => host === claimed.host),
        );
      }
    }
    return due.length > 0;
  }

  private start(host: ClaimedHost, tokens: readonly DueToken[]): void {
    const batch = this.sendAll(host, tokens)
      .catch((error) => this.log.error('sending logout tokens failed', { error }))
      .finally(() => this.batches.delete(batch));
    this.batches.add(batch);
  }

  /** Sends tokens to one host, two at a time, and makes the host available again. */
  private async sendAll(host: ClaimedHost, tokens: readonly DueToken[]): Promise<void> {
    const claimedAt = performance.now();
    const ended = host.ages.map((age) => claimedAt - age);
    const queue = [...tokens];
    const sendNext = async (): Promise<void> => {
      for (let token = queue.shift(); token && !this.isStopping; token = queue.shift()) {
        if (host.failures >= FAILURES_BEFORE_PAUSE) return;
        host.failures = (await this.attempt(token)) ? 0 : host.failures + 1;
        // The time of the response, so that requests also arrive at this rate.
        ended.push(performance.now());
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_PER_HOST }, sendNext));
    const isPaused = host.failures >= FAILURES_BEFORE_PAUSE;
    const endedAt = performance.now();
    const ages = ended.map((at) => endedAt - at).filter((age) => age < 1000);
    const delay = isPaused ? PAUSE_MS : ages.length < REQUESTS_PER_SECOND ? 0 : 1000 - Math.max(...ages);
    await this.database.statement('backchannel-release', RELEASE_HOST, [
      ...[host.host, host.lease, isPaused ? 0 : host.failures, delay],
      ages,
    ]);
    setTimeout(() => this.worker.wake(), delay).unref();
  }

  /** Sends a token once and stores the outcome. Returns whether the host gave a final response. */
  private async attempt(token: DueToken): Promise<boolean> {
    const status = token.alg === null ? 400 : await this.send(token, token.alg);
    const isDelivered = status !== null && status >= 200 && status < 300;
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
    this.isStopping = true;
    await this.worker.stop();
    await Promise.all(this.batches);
  }
}
