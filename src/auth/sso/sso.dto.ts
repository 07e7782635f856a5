import { domainToASCII } from 'node:url';
import type { FieldCode } from '../../core/errors.js';
import { countCodePoints, isOneLine, isStorable, isText } from '../../core/text/text.js';
import { Bool, field, ListOf, OneOf, Text } from '../../http/input.js';
import { isProviderUrl } from './sso-provider.service.js';

const MAX_REDIRECT = 2048;
const MAX_URL = 2048;
const MAX_DOMAIN = 253;
// biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern rejects control characters
const PATH_TEXT = /^\/[^\u0000-\u001f\u007f-\u009f]*$/;
/** A placeholder for the origin of the web application. A path does not depend on it. */
const BASE = 'https://web.invalid';

/**
 * Returns the path as a browser resolves it, or `null` if it leads to another origin, as `//host` and `/.//host` do.
 */
function localPath(value: string): string | null {
  const isText = PATH_TEXT.test(value) && isStorable(value) && countCodePoints(value) <= MAX_REDIRECT;
  if (!isText || !URL.canParse(value, BASE)) return null;
  const { origin, pathname, search, hash } = new URL(value, BASE);
  return origin === BASE && !pathname.startsWith('//') ? pathname + search + hash : null;
}

/** A path of the web application. Any other value is ignored (sso.md 2.2). */
export function LocalPath(): PropertyDecorator {
  const description = { type: 'string' };
  const convert = (value: unknown) => (typeof value === 'string' ? localPath(value) : value);
  return field({ optional: true, nullable: true, description, convert }, (value) =>
    typeof value === 'string' ? undefined : 'INVALID_FORMAT',
  );
}

export class StartSsoInput {
  @LocalPath() redirect_to?: string | null;
  @Text({ optional: true, nullable: true, max: 2048, length: 'INVALID_URL_FORMAT' }) redirect_uri?: string | null;
  @Text({ optional: true, nullable: true, max: 64, pattern: /^[0-9a-f]{64}$/, length: 'INVALID_FORMAT' })
  nonce_hash?: string | null;
  @OneOf(['login'], { optional: true }) prompt?: 'login';
}

export class CompleteSsoInput {
  @Text({ min: 1, max: 4096 }) code: string;
  @Text({ min: 1, max: 4096 }) state: string;
  @Text({ min: 1, max: 256, optional: true }) nonce?: string;
  @Text({ min: 1, max: 2048, optional: true }) iss?: string;
}

/** A URL of the provider (sso.md section 1). */
export function ProviderUrl(): PropertyDecorator {
  const description = { type: 'string', format: 'uri', minLength: 1, maxLength: MAX_URL };
  return field({ bound: 2 * MAX_URL, optional: true, nullable: true, description }, (value) => {
    if (!isText(value) || value === '') return 'INVALID_FORMAT';
    if (countCodePoints(value) > MAX_URL) return 'CONTENT_EXCEEDS_MAX_LENGTH';
    return isProviderUrl(value) ? undefined : 'INVALID_URL_FORMAT';
  });
}

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/** Normalizes an email domain to lowercase ASCII for comparison. Returns an empty string if it is invalid. */
export function mailDomain(text: string): string {
  const ascii = domainToASCII(text.toLowerCase());
  return ascii.length <= MAX_DOMAIN && DOMAIN.test(ascii) ? ascii : '';
}

export const DOMAIN_BOUND = { bound: 2 * MAX_DOMAIN, tooLong: 'CONTENT_EXCEEDS_MAX_LENGTH' } as const;

export const domainFault = (value: unknown): FieldCode | undefined => {
  if (typeof value !== 'string') return 'INVALID_FORMAT';
  if (countCodePoints(value) > MAX_DOMAIN) return 'CONTENT_EXCEEDS_MAX_LENGTH';
  return mailDomain(value) === '' ? 'INVALID_FORMAT' : undefined;
};

export const SCOPES = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** A change to the section `sso` of the instance configuration (sso.md section 1). */
export class SsoSectionInput {
  @Bool({ optional: true }) enabled?: boolean;
  @Bool({ optional: true }) enforced?: boolean;
  @Text({ optional: true, nullable: true, min: 1, max: 64, check: isOneLine }) display_name?: string | null;
  @ProviderUrl() issuer?: string | null;
  @ProviderUrl() authorization_url?: string | null;
  @ProviderUrl() token_url?: string | null;
  @ProviderUrl() userinfo_url?: string | null;
  @ProviderUrl() jwks_url?: string | null;
  @Text({ optional: true, nullable: true, min: 1, max: 256 }) client_id?: string | null;
  @Text({ optional: true, nullable: true, min: 1, max: 1024 }) client_secret?: string | null;
  @Text({ optional: true, nullable: true, min: 1, max: 256, pattern: SCOPES }) scope?: string | null;
  @ListOf({ optional: true, max: 100, ...DOMAIN_BOUND }, domainFault) allowed_domains?: string[];
  @Bool({ optional: true }) auto_provision?: boolean;
}
