import { Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Log } from '../core/log.js';
import { Metrics } from '../core/metrics.js';
import type { Call } from '../policy/call.js';
import { CONTENT_LENGTH_MISMATCH } from './content-length.js';
import { Rejections, RequestHooks } from './request-hooks.js';
import { Tracing } from './tracing.js';

/** Methods that a route can have. All others count as unknown. */
export const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The log message for an Admin operation whose handler wrote no audit entry. */
export const UNAUDITED_MESSAGE = 'an administrator operation wrote no audit log entry';
/** The status in metrics, traces and the log if the client disconnected before the end of the response. */
const CLIENT_CLOSED_STATUS = 499;

export const requestDetails = ({ pattern, id }: Call) => ({ route: pattern, request_id: id });

/** Every Admin operation that changes something writes an audit entry (admin.md section 5.3). */
function isUnaudited({ plan, req, res, isAudited }: Call): boolean {
  if (isAudited || plan?.policy.kind !== 'AdminAcl' || plan.policy.changesNothing) return false;
  return res.statusCode < 300 && req.method !== 'GET' && req.method !== 'HEAD';
}

/** Starts the trace of each request. Records the request when it ends: abuse counters of its IP address, metrics, trace, log. */
@Injectable()
export class Recorder {
  constructor(
    private readonly config: Config,
    private readonly requestHooks: RequestHooks,
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly tracing: Tracing,
    private readonly rejections: Rejections,
  ) {}

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
    if (isUnaudited(call)) this.log.error(UNAUDITED_MESSAGE, { method, route, request_id: call.id });
    if (call.outcome === CONTENT_LENGTH_MISMATCH) {
      this.log.error('response length differs from its Content-Length', { method, route, request_id: call.id });
    }
    if (call.outcome) this.metrics.add('gatehouse_refusals_total', { code: call.outcome });
    const isSlow = ms > this.config.slowRequestMs;
    if (!isSlow && call.outcome === undefined && !this.log.isDebug) return;
    const line = { method, route, status: served.status, ms: Math.round(ms), request_id: call.id };
    const details = call.outcome ? { ...line, outcome: call.outcome } : line;
    if (isSlow) this.log.warn('slow request', details);
    else if (isGone) this.log.debug('client disconnected', details);
    else if (call.outcome) this.log.info('request rejected', details);
    else this.log.debug('request', details);
  }
}
