import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Injectable } from '@nestjs/common';
import { ApiError, fieldErrorsOf } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import { toApiError } from '../../core/to-api-error.js';
import { type Call, ClientGone, callOf } from '../../policy/call.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { AdminNetworks } from '../admin-networks.js';
import { CrossOrigin } from '../cross-origin.js';
import { ErrorPages } from '../error-pages.js';
import { requestDetails } from '../recorder.js';
import { CSP, FixedHeaders } from './fixed-headers.js';

export const JSON_TYPE = 'application/json; charset=utf-8';
/** Headers that describe a success and must not appear on an error response. */
const SUCCESS_HEADERS = ['ETag', 'Content-Length', 'Content-Disposition', 'Accept-Ranges'];
const RATE_HEADERS = ['Limit', 'Remaining', 'Reset', 'Reset-After', 'Bucket'].map((name) => `X-RateLimit-${name}`);

/** Sends the error response for any thrown value. No other code can produce the body of an error. */
@Injectable()
export class ErrorResponder {
  constructor(
    private readonly features: FeatureRegistry,
    private readonly fixedHeaders: FixedHeaders,
    private readonly adminNetworks: AdminNetworks,
    private readonly cors: CrossOrigin,
    private readonly pages: ErrorPages,
    private readonly log: Log,
  ) {}

  /** Never throws, because no other handler would catch that. */
  send(call: Call, thrown: unknown): void {
    this.sendOrReport(call, thrown, () => this.sendError(call, thrown));
  }

  /** Sends the error of a request that the router has not seen, with the CORS headers of its route. Never throws. */
  sendBeforeRouting(call: Call, thrown: unknown): void {
    this.sendOrReport(call, thrown, () => {
      const plan = this.adminNetworks.findVisible(call, call.target.split('?')[0] ?? '');
      if (plan) this.cors.apply(call, plan);
      this.sendError(call, thrown);
    });
  }

  /** The body of an error response to a request that could not be parsed. */
  bodyOf(apiError: ApiError): string {
    return JSON.stringify(this.features.describe(apiError).body);
  }

  private sendOrReport(call: Call, thrown: unknown, send: () => void): void {
    try {
      send();
    } catch (error) {
      call.outcome = 'INTERNAL_SERVER_ERROR';
      this.log.error('sending an error response failed', { ...requestDetails(call), error, cause: thrown });
      this.sendPlainError(call);
    }
  }

  private sendError(call: Call, thrown: unknown): void {
    const { res } = call;
    if (thrown instanceof ClientGone || call.stage === 'closed' || res.destroyed) {
      call.outcome ??= 'CLIENT_GONE';
      return;
    }
    const apiError = this.features.requireDeclared(toApiError(thrown));
    const { status, body } = this.features.describe(apiError);
    if (call.plan && thrown instanceof HttpException) this.reportException(call, thrown, apiError);
    call.outcome = apiError.code;
    call.rejectedWith = fieldErrorsOf(apiError)[0]?.code ?? apiError.code;
    if (status >= 500) call.failure = apiError.cause ?? thrown ?? null;
    if (res.headersSent) {
      res.destroy();
      return;
    }
    if (status === 429 || !call.hasPendingHeaders) clearSuccessHeaders(call, status);
    for (const name in apiError.headers) call.header(name, apiError.headers[name] as string);
    if (call.proofOnError) call.header('X-Service-Sudo-Mode-JWT', call.proofOnError);
    if (call.plan?.policy.kind === 'ClientAuth') call.header('Pragma', 'no-cache');
    res.statusCode = status;
    if (this.pages.respond(call, apiError, status)) return;
    call.sendText(JSON.stringify(status >= 500 ? { ...body, request_id: call.id } : body), JSON_TYPE);
  }

  private reportException(call: Call, thrown: HttpException, { code }: ApiError): void {
    const lost = `${thrown.constructor.name} with status ${thrown.getStatus()} becomes ${code}, and its text is not sent`;
    const fix = "Declare a code in errors of a feature and throw new ApiError('CODE') instead";
    this.log.warn(`${lost}. ${fix}`, requestDetails(call));
  }

  /** Sends only the fixed headers and a generic error, because the previous headers or the error itself are broken. */
  private sendPlainError(call: Call): void {
    const { res } = call;
    try {
      if (res.headersSent) {
        res.destroy();
        return;
      }
      for (const name of res.getHeaderNames()) res.removeHeader(name);
      call.setInitialHeaders(this.fixedHeaders.of(call.id));
      const { status, body } = this.features.describe(new ApiError('INTERNAL_SERVER_ERROR'));
      res.statusCode = status;
      call.sendText(JSON.stringify({ ...body, request_id: call.id }), JSON_TYPE);
    } catch (error) {
      this.log.error('connection closed without a response', { ...requestDetails(call), error });
      call.req.socket.destroy();
    }
  }
}

/** Removes success headers before an error response is written. */
function clearSuccessHeaders(call: Call, status: number): void {
  call.flushHeaders();
  const { res } = call;
  // A 429 carries only the rate-limit headers of the limit that was exceeded, not those of the route's bucket.
  if (status === 429) for (const name of RATE_HEADERS) res.removeHeader(name);
  for (const name of SUCCESS_HEADERS) if (res.hasHeader(name)) res.removeHeader(name);
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Security-Policy', CSP);
}

/** The last exception filter: everything that controllers and guards throw goes to the error responder. */
@Catch()
@Injectable()
export class ApiErrorFilter implements ExceptionFilter {
  constructor(private readonly errors: ErrorResponder) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse();
    // Tell Fastify that the response is written without it.
    response.hijack?.();
    this.errors.send(callOf(http.getRequest()), thrown);
  }
}

/** Nest tries this filter before those of extensions, so that a filter for all errors does not replace an `ApiError`. */
@Catch(ApiError)
export class ApiErrorFirstFilter extends ApiErrorFilter {}
