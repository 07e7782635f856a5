import { settings } from '../core/config/declared.js';
import type { SettingsReader } from '../core/config/reader.js';
import { ownVersion } from '../core/own-package.js';

const EMAIL_ADDRESS = /^[^\s:@]+@[^\s:@]+$/;
const CONTACT = /^(?:mailto:|https:|tel:)[!-~]+$/;

/**
 * Contacts for reports of vulnerabilities, as URIs (RFC 9116 section 2.5.3). A plain email address becomes a `mailto:`
 * URI.
 */
function securityContacts(read: SettingsReader): string[] {
  const about =
    'Contacts for vulnerability reports in /.well-known/security.txt: email addresses, https: or tel: URIs. Unset: no such page';
  const contacts = read
    .list('SECURITY_CONTACT', about)
    .map((item) => (EMAIL_ADDRESS.test(item) ? `mailto:${item}` : item));
  if (contacts.every((item) => URL.canParse(item) && CONTACT.test(item))) return contacts;
  read.fault('SECURITY_CONTACT', 'must be a list of email addresses or of https:, mailto: or tel: URIs');
  return [];
}

/** The version that every response contains in a header. */
function buildId(read: SettingsReader): string {
  const about = 'Build ID in the log, in metrics and in the header X-Service-Version. Unset: the version of Gatehouse';
  const value = read.text('BUILD_ID', about) ?? ownVersion();
  if (/^[\x20-\x7e]{1,128}$/.test(value)) return value;
  read.fault('BUILD_ID', 'must be at most 128 characters of ASCII');
  return 'dev';
}

/** Discovery and documentation. */
export class ServiceSettings extends settings('The service', (read) => ({
  securityContacts: securityContacts(read),
  docsEnabled: read.bool('DOCS_ENABLED', 'Serve /docs, /guides, /openapi.json and /asyncapi.json', true),
  buildId: buildId(read),
})) {}

/** Who may read the metrics. */
export class MetricsSettings extends settings('Operation', (read) => {
  const metricsPort = read.int('METRICS_PORT', 'Port of /metrics. Unset: PORT', 0, [1, 65535], { shown: '' });
  const loopback = '127.0.0.0/8,::1';
  const metricsAllow = read.cidrs(
    'METRICS_ALLOW',
    'IP addresses and CIDR ranges that may read /metrics',
    { shown: loopback },
    loopback,
  );
  const dependencyTestSeconds = read.int(
    'DEPENDENCY_TEST_SECONDS',
    'Seconds between tests of email, media storage, captchas and the identity provider',
    300,
    [1, 3600],
  );
  return {
    dependencyTestSeconds,
    metricsPort: read.peek('METRICS_PORT') === undefined ? undefined : metricsPort,
    metricsAllow,
  };
}) {}
