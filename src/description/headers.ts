import type { RoutePlan } from '../policy/plan.js';
import type { HandlerMetadata, Schema } from './api-metadata.js';

const TEXT: Schema = { type: 'string' };
const COUNT: Schema = { type: 'integer', minimum: 0 };

interface Header {
  readonly description: string;
  readonly schema: Schema;
  readonly required?: boolean;
}

/** Response headers by name. Those that are always present are required. */
export const RESPONSE_HEADERS: Readonly<Record<string, Header>> = {
  'X-Request-ID': { description: 'Names the request in logs', schema: TEXT, required: true },
  'X-Service-Version': { description: 'The build that answered', schema: TEXT, required: true },
  'X-Service-Sudo-Mode-JWT': { description: 'A sudo proof for the next minutes', schema: TEXT },
  'Retry-After': { description: 'Seconds until another try is worthwhile', schema: { type: 'integer', minimum: 1 } },
  'X-RateLimit-Scope': {
    description: 'Whose limit it is',
    schema: { type: 'string', enum: ['user', 'global', 'shared'] },
  },
  'X-RateLimit-Global': { description: 'It is the limit of all routes together', schema: { const: 'true' } },
  'X-RateLimit-Limit': { description: 'Requests that the bucket holds', schema: COUNT },
  'X-RateLimit-Remaining': { description: 'Requests that it would take now', schema: COUNT },
  'X-RateLimit-Reset': { description: 'When it is empty, in seconds since 1970', schema: COUNT },
  'X-RateLimit-Reset-After': { description: 'Seconds until it is empty', schema: { type: 'number', minimum: 0 } },
  'X-RateLimit-Bucket': { description: 'Names the bucket', schema: { type: 'string', minLength: 16, maxLength: 16 } },
  ETag: { description: 'Of this content', schema: TEXT },
  Location: { description: 'Where to go', schema: { type: 'string', format: 'uri-reference' } },
  'Content-Range': { description: 'The part of the content', schema: TEXT },
  'Accept-Ranges': { description: 'Parts may be asked for', schema: { const: 'bytes' } },
};

export const RATE_HEADERS: readonly string[] = ['Limit', 'Remaining', 'Reset', 'Reset-After', 'Bucket'].map(
  (name) => `X-RateLimit-${name}`,
);

/** The headers that every response of a route has, including those of its rate-limit bucket. */
export const headersOf = (isLimited: boolean): string[] => [
  'X-Request-ID',
  'X-Service-Version',
  ...(isLimited ? RATE_HEADERS : []),
];

/**
 * Request headers of the API, by lower-case name. Other headers that handlers and guards read are standard HTTP
 * headers.
 */
const REQUEST_HEADERS: Readonly<
  Record<string, { readonly name: string; readonly description: string; readonly schema: Schema }>
> = {
  'x-service-client-properties': {
    name: 'X-Service-Client-Properties',
    description: 'Base64 of a JSON object; its `os` names the device in the list of sessions',
    schema: { type: 'string', maxLength: 4096 },
  },
  'x-audit-log-reason': {
    name: 'X-Audit-Log-Reason',
    description: 'Why, for the audit log',
    schema: { type: 'string', maxLength: 512 },
  },
  'x-captcha-token': {
    name: 'X-Captcha-Token',
    description: 'The solved captcha, where the instance asks for one',
    schema: { type: 'string', maxLength: 8192 },
  },
  'x-captcha-type': {
    name: 'X-Captcha-Type',
    description: 'Its provider, if not the configured one',
    schema: { type: 'string', enum: ['altcha', 'hcaptcha', 'turnstile'] },
  },
  'x-service-sudo-mode-jwt': {
    name: 'X-Service-Sudo-Mode-JWT',
    description: 'A sudo proof of an earlier answer; the alternative is a factor in the body',
    schema: { type: 'string' },
  },
  'if-none-match': { name: 'If-None-Match', description: 'The `ETag` that the caller has', schema: TEXT },
  'if-range': { name: 'If-Range', description: 'The `ETag` of which `Range` asks a part', schema: TEXT },
  range: { name: 'Range', description: 'The part that is wanted', schema: TEXT },
  origin: { name: 'Origin', description: 'The page that asks', schema: TEXT },
  'x-github-event': { name: 'X-GitHub-Event', description: 'The kind of the event', schema: TEXT },
  'x-github-delivery': { name: 'X-GitHub-Delivery', description: 'The same delivery counts once', schema: TEXT },
};

const CAPTCHA_HEADERS = ['x-captcha-token', 'x-captcha-type'];

/** The header parameters of a route, from its policy and its handler. */
export function headerParameters({ policy }: RoutePlan, handler: HandlerMetadata | undefined): Schema[] {
  const read = [
    ...(policy.captcha ? CAPTCHA_HEADERS : []),
    ...(policy.sudo ? ['x-service-sudo-mode-jwt'] : []),
    ...(handler?.headers ?? []),
  ];
  return [...new Set(read)].flatMap((name) => {
    const known = REQUEST_HEADERS[name];
    return known ? [{ in: 'header', required: false, ...known }] : [];
  });
}
