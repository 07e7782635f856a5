import { PERSONAL_TOKEN, SESSION_TOKEN, TOKEN } from '../core/secrets.js';

export type CredentialKind = 'session' | 'bot' | 'bearer' | 'admin-key';

/** The credential that the caller sent (credentials.md section 2). Tokens are opaque and unchanged. */
export type Credential = { kind: 'none' } | { kind: 'malformed' } | { kind: CredentialKind; token: string };

export interface HeaderRules {
  /** The route is below `/v1/admin`, the only place where the scheme `Admin` is valid. */
  readonly admin: boolean;
  /** `Bot ` is matched case-insensitively: on the two bot routes. */
  readonly anyCase: boolean;
}

const NONE: Credential = { kind: 'none' };
const MALFORMED: Credential = { kind: 'malformed' };
const MAX_LENGTH = 512;
const VISIBLE = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
const SCHEME = /^(Bot|Bearer|Admin) ([\x21-\x7e]+)$/;
const BOT_ANY_CASE = /^[Bb][Oo][Tt] /;
/** `<application_id>.<secret>`. */
export const BOT_TOKEN = /^(0|[1-9][0-9]{0,18})\.([A-Za-z0-9_-]{43})$/;

/** `fa_<key_id>_<secret>`. */
export const ADMIN_KEY = /^fa_(0|[1-9][0-9]{0,18})_[A-Za-z0-9]{32}$/;
/** The end of a webhook URL: its ID and its token. */
export const WEBHOOK_URL = /\/webhooks\/(0|[1-9][0-9]{0,18})\/([A-Za-z0-9]{64})(?:[/?#]|$)/;

const withoutAnchors = ({ source }: RegExp): string => source.slice(1, -1);

/** The format of each kind of credential in text, for secret scanners (web.md section 6). */
export const CREDENTIAL_PATTERNS = {
  session: withoutAnchors(SESSION_TOKEN),
  bot: withoutAnchors(BOT_TOKEN),
  personal_access_token: withoutAnchors(PERSONAL_TOKEN),
  oauth2_access: withoutAnchors(TOKEN),
  oauth2_refresh: withoutAnchors(TOKEN),
  admin_key: withoutAnchors(ADMIN_KEY),
  webhook: '/v1/webhooks/(0|[1-9][0-9]{0,18})/[A-Za-z0-9]{64}',
} as const;

/**
 * Parses the `Authorization` lines of a request. A pure function that compares bytes and never trims. Guards treat
 * `malformed` like an unknown credential.
 */
export function parseAuthorization(lines: readonly string[], rules: HeaderRules): Credential {
  const line = lines[0];
  if (line === undefined) return NONE;
  if (lines.length > 1 || line.length > MAX_LENGTH || !VISIBLE.test(line)) return MALFORMED;
  if (!line.includes(' ')) return { kind: 'session', token: line };
  const match = SCHEME.exec(rules.anyCase ? line.replace(BOT_ANY_CASE, 'Bot ') : line);
  if (!match) return MALFORMED;
  const token = match[2] as string;
  switch (match[1]) {
    case 'Bot':
      return { kind: 'bot', token };
    case 'Bearer':
      return { kind: SESSION_TOKEN.test(token) ? 'session' : 'bearer', token };
    default:
      return rules.admin ? { kind: 'admin-key', token } : MALFORMED;
  }
}

/**
 * Parses the token of Identify and Resume. Its format determines the kind, and it has no scheme prefix (gateway.md 7).
 */
export function parseBareToken(token: string): Credential {
  if (SESSION_TOKEN.test(token)) return { kind: 'session', token };
  return BOT_TOKEN.test(token) ? { kind: 'bot', token } : MALFORMED;
}

/** `GET /v1/applications/@me`: whether the value has the `Bot` prefix (oauth.md 6.1). */
export const hasBotPrefix = (lines: readonly string[]): boolean => /^bot(?: |$)/i.test(lines[0] ?? '');

/** `GET /v1/gateway/bot`: whether the value has the format of a bot token, without a lookup (oauth.md 6.2). */
export const hasBotTokenForm = (lines: readonly string[]): boolean =>
  lines.length === 1 && (lines[0] ?? '').length <= MAX_LENGTH && /^bot [0-9]+\.[A-Za-z0-9_-]+$/i.test(lines[0] ?? '');
