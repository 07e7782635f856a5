import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { settings } from '../../core/config/declared.js';
import { hideMembers, type SettingsReader } from '../../core/config/reader.js';

/** Newer versions of Node return the default authorities, including those of the system. */
const builtInAuthorities = (): readonly string[] => {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
};

/**
 * Authorities that outbound connections trust in addition to the built-in ones. Node reads the same variable, but only
 * warns if it cannot read the file.
 */
function extraAuthorities(read: SettingsReader): readonly string[] | undefined {
  const about = 'File of authorities (PEM) that outbound TLS trusts beside the built-in ones';
  const path = read.text('NODE_EXTRA_CA_CERTS', about);
  if (path === undefined) return undefined;
  try {
    const extra = readFileSync(path, 'utf8');
    tls.createSecureContext({ ca: extra });
    if (extra.includes('-----BEGIN CERTIFICATE-----')) return [...builtInAuthorities(), extra];
  } catch {
    // The error is reported below, as for a file without a certificate.
  }
  read.fault('NODE_EXTRA_CA_CERTS', 'must be a readable file of certificates in PEM');
  return undefined;
}

/** A third-party captcha provider needs both a site key and a secret. Keys without a provider would protect nothing. */
function captchaSettings(read: SettingsReader) {
  const provider = read.choice(
    'CAPTCHA_PROVIDER',
    'none, altcha (proof of work, made by the service itself), hcaptcha or turnstile',
    ['none', 'altcha', 'hcaptcha', 'turnstile'],
    'none',
  );
  const keys = (name: string, title: string) => {
    const siteKey = read.text(`${name}_SITE_KEY`, `Site key of ${title}`);
    const secret = read.secret(`${name}_SECRET`, `Secret of ${title}`);
    if (provider === title.toLowerCase()) {
      if (siteKey === undefined) read.fault(`${name}_SITE_KEY`, `is required with CAPTCHA_PROVIDER=${provider}`);
      if (secret === undefined) read.fault(`${name}_SECRET`, `is required with CAPTCHA_PROVIDER=${provider}`);
    }
    return hideMembers({ siteKey, secret }, 'secret');
  };
  const captcha = {
    provider,
    hcaptcha: keys('HCAPTCHA', 'hCaptcha'),
    turnstile: keys('TURNSTILE', 'Turnstile'),
    verifyUrl: read.url('CAPTCHA_VERIFY_URL', "Replaces the provider's address, for tests", undefined, [
      'http:',
      'https:',
    ]),
    hostnames: read
      .list('CAPTCHA_HOSTNAMES', 'Host names that a solved captcha may come from; unset: any')
      .map((name) => name.toLowerCase()),
  };
  if (read.peek('CAPTCHA_PROVIDER') === undefined) {
    const unused = ['HCAPTCHA_SECRET', 'TURNSTILE_SECRET', 'CAPTCHA_HOSTNAMES'].find((name) => read.peek(name));
    if (unused) read.fault('CAPTCHA_PROVIDER', `is required with ${unused}; none switches the captcha off`);
  }
  return captcha;
}

/** Outbound TLS and captcha providers. */
export class OutboundSettings extends settings('Sign-in', (read) => ({
  extraCa: extraAuthorities(read),
  captcha: captchaSettings(read),
})) {}
