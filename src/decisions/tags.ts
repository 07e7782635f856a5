import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { addressKey } from '../core/address.js';
import { DigestKeys } from '../platform/keys/digest-keys.js';
import type { JournalRow } from '../platform/replicas/journal.js';
import type { Identity } from '../policy/identity.js';

/** The topic of entries that triggers write. Their members name what has changed: `{"accounts": ["1"]}`. */
export const DECISION_TOPIC = 'decision';

/** Something that a decision depends on: its kind and ID. */
export type Subject = `${Kind}:${string}`;

type Kind = 'account' | 'application' | 'credential' | 'family' | 'policy' | 'address' | 'networks';

/** Every decision for an IP address depends on the bans of networks. */
const NETWORKS: Subject = 'networks:';

/** The kinds of subjects in the members of an entry. */
const MEMBERS: Readonly<Record<string, Kind>> = {
  accounts: 'account',
  applications: 'application',
  credentials: 'credential',
  families: 'family',
  policies: 'policy',
};

const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function ofMembers(data: Record<string, unknown>): Subject[] {
  return Object.entries(MEMBERS).flatMap(([member, kind]) =>
    strings(data[member]).map((id): Subject => `${kind}:${id}`),
  );
}

/** The notice that ends gateway sessions names sessions and bot tokens by their IDs, or all tokens of a bot. */
function ofRevoked({ sessions, bot }: Record<string, unknown>): Subject[] {
  const credentials = strings(sessions).map((id): Subject => `credential:${id}`);
  return typeof bot === 'string' ? [...credentials, `account:${bot}`] : credentials;
}

/** A session whose token was replaced. */
function ofEvent({ type, session_id: id }: Record<string, unknown>): Subject[] {
  return type === 'AUTH_SESSION_CHANGE' && typeof id === 'string' ? [`credential:${id}`] : [];
}

/** A ban of one IP address, or of a network, whose members are not known. */
function ofBans({ values }: Record<string, unknown>): Subject[] {
  return strings(values).map((value): Subject => (value.includes('/') ? NETWORKS : `address:${addressKey(value)}`));
}

/** The notices that announce revocations, by topic. Services receive them as tags. */
const SUBJECTS_BY_TOPIC: Readonly<Record<string, (data: Record<string, unknown>) => Subject[]>> = {
  [DECISION_TOPIC]: ofMembers,
  revoked: ofRevoked,
  event: ofEvent,
  'ip-ban': ofBans,
};

export const REVOCATION_TOPICS: readonly string[] = Object.keys(SUBJECTS_BY_TOPIC);

/** What an entry of the journal revokes. Empty for entries that revoke nothing. */
export const subjectsOf = ({ topic, data }: Pick<JournalRow, 'topic' | 'data'>): readonly Subject[] => [
  ...new Set(SUBJECTS_BY_TOPIC[topic]?.(data)),
];

/** The applications whose streams end: their secret, type or list of policies has changed, or they were deleted. */
export const changedClientsOf = ({ topic, data }: Pick<JournalRow, 'topic' | 'data'>): readonly string[] =>
  topic === DECISION_TOPIC ? [...strings(data.clients), ...strings(data.applications)] : [];

/** What the decision about a caller depends on. */
export function subjectsOfDecision(
  policy: { readonly name: string; readonly hash: string },
  identity: Identity | null,
  address: string | undefined,
): readonly Subject[] {
  const subjects: Subject[] = [`policy:${policy.name}:${policy.hash}`];
  if (address !== undefined) subjects.push(`address:${addressKey(address)}`, NETWORKS);
  if (!identity) return subjects;
  subjects.push(`account:${identity.account.id}`);
  if (identity.via === 'session') subjects.push(`credential:${identity.sessionId}`);
  if (identity.via === 'bot') subjects.push(`credential:${identity.tokenId}`);
  if (identity.via === 'bearer') subjects.push(`credential:${identity.tokenId}`, `family:${identity.familyId}`);
  if (identity.via === 'bot' || identity.via === 'bearer') subjects.push(`application:${identity.applicationId}`);
  return subjects;
}

const MAX_KEYS = 1000;
/** 128 bits. */
const TAG_BYTES = 16;

/** Names subjects to a resource application. Other applications have other tags for the same subjects. */
@Injectable()
export class Tags {
  private readonly keys = new Map<string, Buffer>();

  constructor(private readonly digestKeys: DigestKeys) {}

  /** The tags of subjects for an application, in base64url. */
  of(applicationId: string, subjects: readonly Subject[]): string[] {
    const key = this.keyOf(applicationId);
    return subjects.map((subject) =>
      createHmac('sha256', key).update(subject).digest().subarray(0, TAG_BYTES).toString('base64url'),
    );
  }

  private keyOf(applicationId: string): Buffer {
    const known = this.keys.get(applicationId);
    if (known) return known;
    const [key] = this.digestKeys.keysFor(`decision tags of ${applicationId}`);
    if (!key) throw new Error('There are no digest keys');
    if (this.keys.size >= MAX_KEYS) this.keys.clear();
    this.keys.set(applicationId, key);
    return key;
  }
}
