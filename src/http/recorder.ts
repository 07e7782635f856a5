import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { subnetKey } from '../core/address.js';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { Log } from '../core/log.js';
import { Metrics } from '../core/metrics.js';
import { mintTraceId } from '../core/secrets.js';
import type { Call } from '../policy/call.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import { CONTENT_LENGTH_MISMATCH } from './content-length.js';
import { LogSampler } from './log-sampler.js';
import { Rejections, RequestHooks } from './request-hooks.js';
import { Tracing } from './tracing.js';

/** Methods that a route can have. All others count as unknown. */
export const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The log message for an Admin operation whose handler wrote no audit entry. */
export const UNAUDITED_MESSAGE = 'an administrator operation wrote no audit log entry';
/** The status in metrics, traces and the log if the client disconnected before the end of the response. */
const CLIENT_CLOSED_STATUS = 499;
/** For developers whose route takes a file. The client only receives 415. */
const MEDIA_TYPE_HINT =
  "the route accepts only application/json. If it takes a file or another body, declare @Accepts('raw')";
/** Outcomes of requests whose response was not sent completely. */
const INTERRUPTIONS = ['CLIENT_GONE', 'TOO_SLOW', 'BROKEN_OFF', CONTENT_LENGTH_MISMATCH];

/** Creates a trace ID for the first line of a request that has none. */
function idsOf(call: Call) {
  call.traceId ??= mintTraceId();
  return { request_id: call.id, trace_id: call.traceId };
}

export const requestDetails = (call: Call) => ({ route: call.pattern, ...idsOf(call) });

/** The reason of a failed request: an error, or a text. An error without a cause has no more information than its code. */
const failureOf = ({ failure }: Call) => {
  if (failure === undefined || failure instanceof ApiError) return {};
  return failure instanceof Error ? { error: failure } : { cause: failure };
};

/** Every Admin operation that changes something writes an audit entry (admin.md section 5.3). */
function isUnaudited({ plan, req, res, isAudited }: Call): boolean {
  if (isAudited || plan?.policy.kind !== 'AdminAcl' || plan.policy.changesNothing) return false;
  return res.statusCode < 300 && req.method !== 'GET' && req.method !== 'HEAD';
}

/** Starts the trace of each request. Records the request when it ends: abuse counters of its IP address, metrics, trace, log. */
@Injectable()
export class Recorder implements BeforeApplicationShutdown {
  private readonly rejected = new LogSampler((leftOut) => this.log.info('rejected requests were not logged', leftOut));
  private readonly failed = new LogSampler((leftOut) => this.log.warn('failed requests were not logged', leftOut));

  constructor(
    private readonly config: Config,
    private readonly requestHooks: RequestHooks,
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly tracing: Tracing,
    private readonly rejections: Rejections,
    features: FeatureRegistry,
  ) {
    metrics.startAtZero('gatehouse_refusals_total', { code: [...features.errors.keys(), ...INTERRUPTIONS] });
  }

  beforeApplicationShutdown(): void {
    this.rejected.flush();
    this.failed.flush();
  }

  begin(call: Call): void {
    this.tracing.begin(call);
  }

  /** Never throws, because no other handler would catch that. */
  record(call: Call): void {
    try {
      this.recordOutcome(call);
    } catch (error) {
      this.log.error('recording a request failed', { ...requestDetails(call), error });
    }
  }

  private recordOutcome(call: Call): void {
    const { res } = call;
    if (!res.writableFinished) call.outcome ??= 'CLIENT_GONE';
    const isGone = call.outcome === 'CLIENT_GONE';
    this.requestHooks.onResponse(call, res.statusCode);
    if (call.rejectedWith !== undefined) this.rejections.publish(call);
    const ms = performance.now() - call.startedAt;
    const method = METHODS.has(call.req.method ?? '') ? (call.req.method as string) : 'other';
    const route = call.plan?.path ?? 'unmatched';
    const policy = call.plan?.policy.kind ?? 'none';
    const served = { method, route, policy, status: isGone ? CLIENT_CLOSED_STATUS : res.statusCode };
    this.metrics.observe('gatehouse_http_request_seconds', { ...served, status: String(served.status) }, ms / 1000);
    this.tracing.end(call, served);
    if (isUnaudited(call)) this.log.error(UNAUDITED_MESSAGE, { method, route, ...idsOf(call) });
    if (call.outcome === CONTENT_LENGTH_MISMATCH) {
      this.log.error('response length differs from its Content-Length', { method, route, ...idsOf(call) });
    }
    if (call.outcome) this.metrics.add('gatehouse_refusals_total', { code: call.outcome });
    const isSlow = ms > this.config.slowRequestMs;
    if (!isSlow && call.outcome === undefined && !this.log.isDebug) return;
    this.write(call, isSlow, { method, route, status: served.status, ms: Math.round(ms) });
  }

  private write(call: Call, isSlow: boolean, line: object): void {
    const { outcome } = call;
    const details = { ...line, ...idsOf(call), ...this.callerOf(call), ...(outcome && { outcome }) };
    if (call.failure !== undefined) {
      if (!this.failed.admits(outcome ?? '')) return;
      const level = outcome === 'INTERNAL_SERVER_ERROR' ? 'error' : 'warn';
      this.log[level]('request failed', { ...details, ...failureOf(call) });
    } else if (isSlow) this.log.warn('slow request', details);
    else if (outcome === 'CLIENT_GONE') this.log.debug('client disconnected', details);
    else if (outcome === undefined) this.log.debug('request', details);
    else if (this.rejected.admits(outcome)) {
      const isJsonOnly = outcome === 'UNSUPPORTED_MEDIA_TYPE' && call.plan?.accepts.kind === 'json';
      this.log.info('request rejected', { ...details, ...(isJsonOnly && { hint: MEDIA_TYPE_HINT }) });
    }
  }

  private callerOf({ address, identity }: Call) {
    const { logClientNetwork, logAccountId } = this.config;
    return {
      ...(logClientNetwork && address ? { network: subnetKey(address) } : {}),
      ...(logAccountId && identity ? { account: identity.account.id } : {}),
    };
  }
}
