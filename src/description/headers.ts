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
  'X-Request-ID': { description: 'ID of the request in logs', schema: TEXT, required: true },
  'X-Service-Version': { description: 'Build of the service', schema: TEXT, required: true },
  'X-Service-Sudo-Mode-JWT': { description: 'Proof for sudo mode, valid for some minutes', schema: TEXT },
  'Retry-After': { description: 'Seconds to wait before the next attempt', schema: { type: 'integer', minimum: 1 } },
  'X-RateLimit-Scope': {
    description: 'Scope of the limit',
    schema: { type: 'string', enum: ['user', 'global', 'shared'] },
  },
  'X-RateLimit-Global': { description: 'Present if the global limit was exceeded', schema: { const: 'true' } },
  'X-RateLimit-Limit': { description: 'Capacity of the bucket, in requests', schema: COUNT },
  'X-RateLimit-Remaining': { description: 'Requests that are left', schema: COUNT },
  'X-RateLimit-Reset': { description: 'Time at which the bucket is empty, in Unix seconds', schema: COUNT },
  'X-RateLimit-Reset-After': {
    description: 'Seconds until the bucket is empty',
    schema: { type: 'number', minimum: 0 },
  },
  'X-RateLimit-Bucket': { description: 'ID of the bucket', schema: { type: 'string', minLength: 16, maxLength: 16 } },
  ETag: { description: 'Version of the content', schema: TEXT },
  Location: { description: 'URL to open next', schema: { type: 'string', format: 'uri-reference' } },
  'Content-Range': { description: 'Range of the content', schema: TEXT },
  'Accept-Ranges': { description: 'Ranges are supported', schema: { const: 'bytes' } },
  'X-Auth-Account-Id': { description: 'ID of the account; - for anonymous callers', schema: TEXT, required: true },
  'X-Auth-Kind': {
    description: 'Kind of the credential',
    schema: { type: 'string', enum: ['session', 'bot', 'bearer', 'anonymous'] },
    required: true,
  },
  'X-Auth-Username': {
    description: 'Username and discriminator, percent-encoded; - for anonymous callers',
    schema: TEXT,
    required: true,
  },
  'X-Auth-Application-Id': { description: 'ID of the application, or -', schema: TEXT, required: true },
  'X-Auth-Scopes': {
    description: 'Scopes of the access token, separated by spaces, or -',
    schema: TEXT,
    required: true,
  },
  'X-Auth-Policy': { description: 'Name of the service policy', schema: TEXT, required: true },
  'X-Auth-Assertion': { description: 'JWT with the same data, valid for 10 seconds', schema: TEXT, required: true },
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
    description: 'JSON object in Base64. Its `os` names the device in the list of sessions',
    schema: { type: 'string', maxLength: 4096 },
  },
  'x-audit-log-reason': {
    name: 'X-Audit-Log-Reason',
    description: 'Reason for the audit log',
    schema: { type: 'string', maxLength: 512 },
  },
  'x-captcha-token': {
    name: 'X-Captcha-Token',
    description: 'Solved captcha, if the instance requires one',
    schema: { type: 'string', maxLength: 8192 },
  },
  'x-captcha-type': {
    name: 'X-Captcha-Type',
    description: 'Captcha provider, if it is not the configured one',
    schema: { type: 'string', enum: ['altcha', 'hcaptcha', 'turnstile'] },
  },
  'x-service-sudo-mode-jwt': {
    name: 'X-Service-Sudo-Mode-JWT',
    description: 'Proof for sudo mode of an earlier response. Alternatively, send a factor in the body',
    schema: { type: 'string' },
  },
  'if-none-match': { name: 'If-None-Match', description: '`ETag` of the cached content', schema: TEXT },
  'if-range': { name: 'If-Range', description: '`ETag` of the content that `Range` refers to', schema: TEXT },
  range: { name: 'Range', description: 'Requested range', schema: TEXT },
  origin: { name: 'Origin', description: 'Origin of the page that sends the request', schema: TEXT },
  'x-github-event': { name: 'X-GitHub-Event', description: 'Type of the event', schema: TEXT },
  'x-github-delivery': {
    name: 'X-GitHub-Delivery',
    description: 'ID of the delivery. The same delivery is processed once',
    schema: TEXT,
  },
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
