import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import type { Call } from '../policy/call.js';
import type { RoutePlan } from '../policy/plan.js';
import { AdminNetworks } from './admin-networks.js';
import { ClientAddresses } from './client-addresses.js';

const ALLOWED_HEADERS = [
  ...['Authorization', 'Content-Type', 'If-None-Match', 'Range', 'X-Request-ID', 'X-Audit-Log-Reason'],
  ...['X-Captcha-Token', 'X-Captcha-Type', 'X-Service-Client-Properties', 'X-Service-Sudo-Mode-JWT'],
];
const EXPOSED_HEADERS = [
  ...['X-Request-ID', 'X-Service-Version', 'Retry-After', 'X-RateLimit-Scope', 'X-RateLimit-Global'],
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-RateLimit-Reset-After'],
  'X-RateLimit-Bucket',
];
const ALLOWED = ALLOWED_HEADERS.join(', ');
/** Media are read without credentials, so the headers for credentials are left out. */
const MEDIA_ALLOWED = ALLOWED_HEADERS.slice(1, -2).join(', ');
/**
 * Any page that has the URL of an upload capability may use it. OPTIONS does not check the capability (media.md 4.2).
 */
const UPLOAD_HEADERS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'PUT',
  'Access-Control-Allow-Headers': 'Content-Type, Content-Length',
  'Access-Control-Expose-Headers': 'ETag, X-Request-ID',
};
export const EXPOSED = EXPOSED_HEADERS.join(', ');
const DEFAULT_EXPOSED = [...EXPOSED_HEADERS, 'X-Service-Sudo-Mode-JWT'].join(', ');

/**
 * Whether the browser reports that the request comes from a page outside this service and `CORS_ORIGINS`. Such a
 * request says nothing about the visitor (conventions.md 9.1). Without either header, the origin is unknown.
 */
export function isFromExternalPage(
  headers: IncomingHttpHeaders,
  { publicOrigin, corsOrigins }: Pick<Config, 'publicOrigin' | 'corsOrigins'>,
): boolean {
  const { origin } = headers;
  if (headers['sec-fetch-site'] === 'cross-site') return true;
  return origin !== undefined && origin !== publicOrigin && !corsOrigins.includes(origin);
}

/**
 * Sets the CORS headers (conventions.md section 3). They protect nothing by themselves, because no cookie carries
 * authority.
 */
@Injectable()
export class CrossOrigin {
  constructor(
    private readonly config: Config,
    private readonly adminNetworks: AdminNetworks,
    private readonly addresses: ClientAddresses,
  ) {}

  /** Sets the headers for the response of a route. */
  apply(call: Call, { policy, path }: RoutePlan): void {
    const { req } = call;
    if (policy.cors === 'none') return;
    if (policy.cors === 'upload') {
      for (const name in UPLOAD_HEADERS) call.header(name, UPLOAD_HEADERS[name] as string);
      return;
    }
    // Handlers set the header on media that exist. Error responses stay unreadable for other origins.
    if (path.startsWith('/media/') && req.method !== 'OPTIONS') return;
    if (policy.cors === 'any') {
      call.header('Access-Control-Allow-Origin', '*');
      call.header('Access-Control-Expose-Headers', EXPOSED);
      return;
    }
    call.header('Vary', 'Origin');
    const { origin } = req.headers;
    if (origin === undefined || !this.config.corsOrigins.includes(origin)) return;
    call.header('Access-Control-Allow-Origin', origin);
    call.header('Access-Control-Expose-Headers', DEFAULT_EXPOSED);
  }

  /**
   * Responds to a preflight before load shedding, bans and limits. Every OPTIONS request must be a preflight.
   * @throws ApiError NOT_FOUND
   */
  respondToPreflight(call: Call, path: string): void {
    const routes = this.adminNetworks.findMatchingVisible(path, this.addresses.addressOf(call.req));
    call.flushHeaders();
    if (!this.preflight(call, routes)) throw new ApiError('NOT_FOUND');
    call.res.writeHead(204).end();
  }

  /**
   * Sets the headers of a preflight response for the routes of one path. Returns false if there is no preflight to
   * answer.
   */
  private preflight(call: Call, plans: readonly RoutePlan[]): boolean {
    const { req, res } = call;
    const [upload] = plans;
    if (upload?.policy.cors === 'upload') {
      this.apply(call, upload);
      return true;
    }
    const wanted = req.headers['access-control-request-method'];
    if (!req.headers.origin || !wanted) return false;
    const plan = plans.find(({ method }) => method === wanted || (method === 'GET' && wanted === 'HEAD')) ?? plans[0];
    if (!plan || plan.policy.cors === 'none') return false;
    this.apply(call, plan);
    if (!res.hasHeader('Access-Control-Allow-Origin')) return true;
    const open = plans.filter(({ policy }) => policy.cors !== 'none');
    const methods = new Set(open.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])));
    res.setHeader('Access-Control-Allow-Methods', [...methods].sort().join(', '));
    res.setHeader('Access-Control-Allow-Headers', plan.path.startsWith('/media/') ? MEDIA_ALLOWED : ALLOWED);
    res.setHeader('Access-Control-Max-Age', '600');
    return true;
  }
}
