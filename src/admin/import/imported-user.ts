import { LOCALES } from '../../accounts/locales.js';
import { Discriminator, GlobalName, Username } from '../../accounts/names.js';
import { isConnectionId } from '../../auth/connections/connections.dto.js';
import { SSO_CONNECTION } from '../../auth/connections/connections.service.js';
import { parseSecret } from '../../auth/factors/factors.service.js';
import {
  type ImportedHashFault,
  importedHashFault,
  MAX_IMPORTED_HASH_LENGTH,
} from '../../auth/factors/imported-hashes.js';
import type { FieldCode } from '../../core/errors.js';
import { snowflakeTime } from '../../core/snowflake.js';
import { countCodePoints, isText } from '../../core/text/text.js';
import { Bool, Email, type Fault, field, OneOf, Snowflake, Text, Time, validateShape } from '../../http/input.js';
import { isSecureUrl } from '../instance/instance.dto.js';
import type { Line, LineFault } from './lines.js';

/** Why the import rejects a line: the field codes of the API and codes of the import. */
export type ImportCode =
  | FieldCode
  | LineFault
  | ImportedHashFault
  | 'INVALID_JSON'
  | 'UNKNOWN_MEMBER'
  | 'ID_ALREADY_IN_USE'
  | 'UNKNOWN_CONNECTION'
  | 'IDENTITY_ALREADY_IN_USE';

/** One reason why a line was rejected. It contains positions and codes, never values from the file. */
export interface LineRejection {
  readonly line: number;
  /** The member at fault. It is empty if the whole line is at fault. */
  readonly field: string;
  readonly code: ImportCode;
}

/** An identity as a line states it. Without a connection, it is an identity of single sign-on. */
export interface ImportedIdentity {
  readonly connection_id?: string | null;
  /** By default, the issuer of the connection. */
  readonly issuer?: string | null;
  readonly subject: string;
}

const MAX_IDENTITIES = 10;
const [LONGEST_ISSUER, LONGEST_SUBJECT] = [2048, 255];
/** Authenticator secrets of other services can have as few as 80 bits. New secrets here have at least 128. */
export const MIN_TOTP_BYTES = 10;

function TotpSecret(): PropertyDecorator {
  return field({ optional: true, bound: 256, description: { type: 'string' } }, (value) =>
    typeof value === 'string' && parseSecret(value, MIN_TOTP_BYTES) ? undefined : 'INVALID_FORMAT',
  );
}

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;

/** The connection of an identity. */
export const connectionOf = ({ connection_id: id }: ImportedIdentity): string => id ?? SSO_CONNECTION;

function identityFaults(value: unknown, at: string): { at: string; code: FieldCode }[] {
  if (typeof value !== 'object' || value === null) return [{ at, code: 'INVALID_FORMAT' }];
  const { connection_id: connectionId, issuer, subject } = value as Record<string, unknown>;
  const isConnection = isAbsent(connectionId) || isConnectionId(connectionId);
  const isStated = isText(issuer) && issuer.length <= LONGEST_ISSUER && isSecureUrl(issuer);
  const isIssuer = isStated || (isAbsent(issuer) && !isAbsent(connectionId) && connectionId !== SSO_CONNECTION);
  const isSubject = isText(subject) && subject !== '' && countCodePoints(subject) <= LONGEST_SUBJECT;
  return [
    ...(isConnection ? [] : [{ at: `${at}.connection_id`, code: 'INVALID_FORMAT' as const }]),
    ...(isIssuer ? [] : [{ at: `${at}.issuer`, code: 'INVALID_URL_FORMAT' as const }]),
    ...(isSubject ? [] : [{ at: `${at}.subject`, code: 'INVALID_FORMAT' as const }]),
  ];
}

const providerOf = (identity: ImportedIdentity): string =>
  connectionOf(identity) === SSO_CONNECTION ? `${identity.issuer}` : connectionOf(identity);

/** At most one identity per connection and, for single sign-on, per issuer (sso.md section 3). */
function Identities(): PropertyDecorator {
  const description = { type: 'array', items: { type: 'object' }, maxItems: MAX_IDENTITIES };
  return field(
    { optional: true, bound: LONGEST_ISSUER, tooLong: 'INVALID_FORMAT', description },
    (value): Fault | undefined => {
      if (!Array.isArray(value) || value.length > MAX_IDENTITIES) return 'INVALID_FORMAT';
      const faults = value.flatMap((identity, index) => identityFaults(identity, `.${index}`));
      if (faults.length > 0) return faults;
      const providers = new Set((value as ImportedIdentity[]).map(providerOf));
      return providers.size === value.length ? undefined : 'INVALID_FORMAT';
    },
  );
}

/** A user of another service. The rules of registration apply where they exist. */
export class ImportedUser {
  @Snowflake({ optional: true }) id?: string;
  @Email({ optional: true }) email?: string;
  @Bool({ optional: true }) email_verified?: boolean;
  @Text({ optional: true, min: 1, max: MAX_IMPORTED_HASH_LENGTH }) password_hash?: string;
  @TotpSecret() totp_secret?: string;
  @Identities() identities?: readonly ImportedIdentity[];
  @Username({ optional: true }) username?: string;
  @Discriminator() discriminator?: string;
  @GlobalName({ optional: true }) global_name?: string;
  @OneOf(LOCALES, { optional: true }) locale?: string;
  @OneOf(['system', 'light', 'dark'], { optional: true }) theme?: string;
  @Time({ optional: true }) created_at?: string;
  @Time({ optional: true }) terms_agreed_at?: string;
}

/** All members that a line may have. */
export const MEMBERS = [
  ...(['id', 'email', 'email_verified', 'password_hash', 'totp_secret', 'identities', 'username'] as const),
  ...(['discriminator', 'global_name', 'locale', 'theme', 'created_at', 'terms_agreed_at'] as const),
] satisfies readonly (keyof ImportedUser)[];

const KNOWN_MEMBERS = new Set<string>(MEMBERS);
/** Maximum number of unknown members that are reported for a line. A line has room for thousands. */
const MAX_REPORTED_MEMBERS = 20;
const MEMBER_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Whether a report may contain the name of a member. */
const isReportableName = (name: string): boolean => name.length <= 64 && MEMBER_NAME.test(name);

type FieldFault = Omit<LineRejection, 'line'>;

/** Checks rules that involve several members. */
function* crossMemberFaults(user: ImportedUser, now: number): Generator<FieldFault> {
  const { id, email, identities = [], password_hash: hash, discriminator, username } = user;
  // Reject IDs of future times, because the ID generator would issue them again.
  if (id !== undefined && (id === '0' || snowflakeTime(id) > now)) {
    yield { field: 'id', code: 'SNOWFLAKE_OUT_OF_RANGE' };
  }
  if (email === undefined && (hash !== undefined || user.email_verified || identities.length === 0)) {
    yield { field: 'email', code: 'INVALID_FORMAT' };
  }
  const hashFault = hash === undefined ? undefined : importedHashFault(hash);
  if (hashFault) yield { field: 'password_hash', code: hashFault };
  if (discriminator !== undefined && username === undefined) yield { field: 'username', code: 'INVALID_FORMAT' };
  for (const time of ['created_at', 'terms_agreed_at'] as const) {
    const text = user[time];
    if (text !== undefined && Date.parse(text) > now) yield { field: time, code: 'INVALID_FORMAT' };
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

const IDENTITY_MEMBERS: ReadonlySet<string> = new Set<keyof ImportedIdentity>(['connection_id', 'issuer', 'subject']);

const unknownIn = (object: object, known: ReadonlySet<string>): string[] =>
  Object.keys(object).filter((name) => !known.has(name));

/** Returns the fields of unknown members. The field of one without a reportable name is that of its object. */
function unknownFields(line: Readonly<Record<string, unknown>>): string[] {
  const { identities } = line;
  const objects: unknown[] = Array.isArray(identities) ? identities.slice(0, MAX_IDENTITIES) : [];
  return [
    ...unknownIn(line, KNOWN_MEMBERS).map((name) => (isReportableName(name) ? name : '')),
    ...objects.flatMap((identity, index) => {
      const names = typeof identity === 'object' && identity !== null ? unknownIn(identity, IDENTITY_MEMBERS) : [];
      const at = `identities.${index}`;
      return names.map((name) => (isReportableName(name) ? `${at}.${name}` : at));
    }),
  ];
}

/** Parses a line into a user or into all its faults. A member that is `null` counts as absent. */
export function readUser({ text, number: line, fault }: Line, now: number): ImportedUser | LineRejection[] {
  if (fault) return [{ line, field: '', code: fault }];
  const value = parseObject(text);
  if (!value) return [{ line, field: '', code: 'INVALID_JSON' }];
  const unknown = unknownFields(value);
  if (unknown.length > 0) {
    return unknown.slice(0, MAX_REPORTED_MEMBERS).map((member) => ({ line, field: member, code: 'UNKNOWN_MEMBER' }));
  }
  const members = Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
  const { instance, faults } = validateShape(ImportedUser, members);
  if (faults.length > 0) return faults.map(({ path, code }) => ({ line, field: path, code }));
  const between = [...crossMemberFaults(instance, now)];
  return between.length > 0 ? between.map((one) => ({ line, ...one })) : instance;
}
