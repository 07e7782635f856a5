import type { Cidr, SettingsReader } from './reader.js';
import { workerSettings } from './workers.settings.js';

const EMAIL_ADDRESS = /^[^\s:@]+@[^\s:@]+$/;
const CONTACT = /^(?:mailto:|https:|tel:)[!-~]+$/;

/**
 * Contacts for reports of vulnerabilities, as URIs (RFC 9116 section 2.5.3). A plain email address becomes a `mailto:`
 * URI.
 */
function securityContacts(read: SettingsReader): string[] {
  const about =
    'Whom to tell of holes, for /.well-known/security.txt: mail addresses, https: or tel: URIs; unset: no such page';
  const contacts = read
    .list('SECURITY_CONTACT', about)
    .map((item) => (EMAIL_ADDRESS.test(item) ? `mailto:${item}` : item));
  if (contacts.every((item) => URL.canParse(item) && CONTACT.test(item))) return contacts;
  read.fault('SECURITY_CONTACT', 'must be a list of mail addresses or of https:, mailto: or tel: URIs');
  return [];
}

/**
 * Rejects a range of all addresses: every client could choose its own IP address, so limits, bans and allowed networks
 * would not work.
 */
function trustedProxies(read: SettingsReader): Cidr[] {
  const about = 'Trusted proxies, as IP addresses or CIDR ranges, whose X-Forwarded-For is used';
  const proxies = read.cidrs('TRUSTED_PROXIES', about);
  if (proxies.some(([, length]) => length === 0)) {
    read.fault('TRUSTED_PROXIES', 'must not contain all addresses: every client could choose its own address');
  }
  return proxies;
}

/** The version that every response contains in a header. */
function buildId(read: SettingsReader): string {
  const value = read.text('BUILD_ID', 'Value of X-Service-Version', { shown: 'dev' }) ?? 'dev';
  if (/^[\x20-\x7e]{1,128}$/.test(value)) return value;
  read.fault('BUILD_ID', 'must be at most 128 characters of ASCII');
  return 'dev';
}

/** The addresses, name and allowed origins of the service. */
export function serviceSettings(read: SettingsReader) {
  read.section('The service');
  const nodeEnv = read.choice(
    'NODE_ENV',
    'development, test or production; production refuses development defaults',
    ['development', 'test', 'production'],
    'development',
  );
  const host = read.text('HOST', 'Address to listen on', { shown: '127.0.0.1' }) ?? '127.0.0.1';
  const port = read.int('PORT', 'Port to listen on', 8080, [0, 65535]);
  const publicOrigin = read.origin(
    'PUBLIC_ORIGIN',
    'Public origin of the service, for generated links and the OAuth2 issuer; never taken from a request',
    `http://localhost:${port || 8080}`,
  );
  const webAppUrl = read.url('WEB_APP_URL', 'Front end that mailed links and single sign-on return to', publicOrigin, [
    'http:',
    'https:',
  ]);
  const productName = read.name('PRODUCT_NAME', 'Name of the instance in mails, pages and discovery', 64, {
    shown: 'Gatehouse',
  });
  const httpPlatform = read.choice('HTTP_PLATFORM', 'express or fastify', ['express', 'fastify'], 'express');
  const workers = workerSettings(read);
  const corsOrigins = read.origins(
    'CORS_ORIGINS',
    'Origins whose pages may call the API; unset: the origin of WEB_APP_URL',
  );
  return {
    nodeEnv,
    production: nodeEnv === 'production',
    host,
    port,
    publicOrigin,
    webAppUrl,
    gatewayUrl: `${publicOrigin.replace(/^http/, 'ws')}/gateway`,
    productName: productName ?? 'Gatehouse',
    httpPlatform,
    workers,
    corsOrigins: corsOrigins.length ? corsOrigins : [new URL(webAppUrl).origin],
    trustedProxies: trustedProxies(read),
    appealEmail: read.name('APPEAL_EMAIL', 'Shown to banned addresses', 254),
    securityContacts: securityContacts(read),
    docsEnabled: read.bool(
      'DOCS_ENABLED',
      'Serves /docs, /openapi.json, /asyncapi.json and, where they are built, /guides',
      true,
    ),
    buildId: buildId(read),
  };
}

export type ServiceSettings = ReturnType<typeof serviceSettings>;
