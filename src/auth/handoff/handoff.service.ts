import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { isDeletedOrScheduled } from '../../accounts/account-facts.js';
import type { AccountSnapshot } from '../../accounts/account-snapshot.js';
import { knownClientInfo, type Origin } from '../../accounts/events/origin.js';
import { addressKey, maskAddress } from '../../core/address.js';
import { ApiError } from '../../core/errors.js';
import { digest, equalsInConstantTime, mintFrom, mintToken } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Limiter } from '../../platform/store/limits.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { SecurityNotices } from '../notices/security-notices.service.js';
import { OneTimeSecrets } from '../secrets/one-time-secrets.service.js';
import { CallerGuard } from '../sessions/caller-guard.service.js';
import { Issuance, type TokenResponse } from '../sessions/issuance.service.js';
import { SessionService } from '../sessions/sessions.service.js';
import type { CompleteHandoffInput } from './handoff.dto.js';

const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const DIGITS = '0123456789';
const CODE_PATTERN = /^[ABCDEFGHJKMNPQRSTUVWXYZ23456789]{12}$/;
const CODE_SECONDS = 300;
/** The record exists longer than the code, so that a late approval gets a different error from an unknown code. */
const RECORD_SECONDS = 3600;
const LOOKUP_LIMIT = { limit: 3, seconds: 86_400 };
const FAILURE_LIMIT = { limit: 5, seconds: 900 };

/** The session that approved the handoff. The code is then bound to its account. */
interface Approval {
  readonly sessionId: string;
}

/** The data that is stored with a code. */
interface Handoff {
  readonly state: 'fresh' | 'inspected' | 'approved';
  readonly origin: Origin;
  /** SHA-256 of the initiator's poll secret, base64url. */
  readonly pollDigest: string;
  /** The two digits that the initiator shows. Codes from before this member existed have none. */
  readonly confirmation?: string;
  readonly approval?: Approval;
}

declare module '../../core/merged.js' {
  interface SecretPayloads {
    handoff: Handoff;
  }
}

type Collected = { status: 'pending' | 'expired' } | ({ status: 'completed' } & TokenResponse);

const PENDING = { status: 'pending' } as const;
const EXPIRED = { status: 'expired' } as const;

const invalidCode = (): ApiError => new ApiError('INVALID_HANDOFF_CODE');

const isSecretOf = ({ pollDigest }: Handoff, pollSecret: string): boolean =>
  equalsInConstantTime(Buffer.from(pollDigest, 'base64url'), digest(pollSecret));

/** Normalizes a typed code: removes hyphens and white space and ignores case. */
function normalizeCode(code: string): string {
  const plain = code.replace(/[-\s]/g, '').toUpperCase();
  if (!CODE_PATTERN.test(plain)) throw invalidCode();
  return plain;
}

/**
 * A signed-in device approves the sign-in of a new device (auth.md section 10): initiate, inspect, approve, collect.
 */
@Injectable()
export class Handoffs {
  constructor(
    private readonly database: Database,
    private readonly secrets: OneTimeSecrets,
    private readonly accounts: AccountService,
    private readonly sessions: SessionService,
    private readonly issuance: Issuance,
    private readonly callerGuard: CallerGuard,
    private readonly notices: SecurityNotices,
    private readonly limiter: Limiter,
  ) {}

  async initiate(origin: Origin) {
    const code = mintFrom(ALPHABET, 12);
    const pollSecret = mintToken();
    const pollDigest = digest(pollSecret).toString('base64url');
    const confirmation = mintFrom(DIGITS, 2);
    const handoff: Handoff = { state: 'fresh', origin, pollDigest, confirmation };
    await this.secrets.issue('handoff', '', handoff, RECORD_SECONDS, { secret: code });
    const found = await this.find(code);
    if (!found) throw new Error('The new handoff code was not stored');
    return {
      code: `${code.slice(0, 6)}-${code.slice(6)}`,
      expires_at: new Date(found.createdAt.getTime() + CODE_SECONDS * 1000).toISOString(),
      poll_secret: pollSecret,
      confirmation,
    };
  }

  /**
   * Describes the requesting device, using only words of the service. The requester must not control text on the
   * approving page.
   */
  async inspect(typed: string, address: string) {
    await this.assertNotBlocked(address);
    const code = normalizeCode(typed);
    const found = await this.find(code);
    if (!found?.isCurrent) {
      await this.countFailure(address);
      return { ...EXPIRED, client_info: null, masked_ip: null, created_at: null };
    }
    const key = digest(code).toString('base64url');
    const { admitted } = await this.limiter.charge('handoff:lookups', key, LOOKUP_LIMIT.limit, LOOKUP_LIMIT.seconds);
    if (!admitted) throw invalidCode();
    await this.secrets.change('handoff', code, [{ state: 'fresh' }, { state: 'inspected' }]);
    const { origin } = found.handoff;
    return {
      ...PENDING,
      client_info: knownClientInfo(origin),
      masked_ip: maskAddress(origin.ip),
      created_at: found.createdAt.toISOString(),
    };
  }

  /**
   * Records the approval. The new device creates the session when it collects it. A wrong `confirmation` revokes the
   * code, so that only a user who sees the other device can approve.
   */
  async approve(
    me: SessionIdentity,
    { code: typed, user_id: userId, confirmation }: CompleteHandoffInput,
    address: string,
  ): Promise<void> {
    if (userId !== me.account.id) throw new ApiError('SESSION_TOKEN_MISMATCH');
    await this.assertNotBlocked(address);
    const code = normalizeCode(typed);
    if (isDeletedOrScheduled(me.account)) throw invalidCode();
    this.issuance.assertMaySignIn(me.account);
    const found = await this.find(code);
    if (!found) throw invalidCode();
    if (!found.isCurrent) throw new ApiError('HANDOFF_CODE_EXPIRED');
    const approval: Approval = { sessionId: me.sessionId };
    const step = [{ state: 'inspected' }, { state: 'approved', approval }] as const;
    const isApproved = await this.database.transaction(async (tx) => {
      const owner = await this.callerGuard.lockCaller(tx, me);
      const handoff = await this.lockHandoff(code, tx);
      if (!handoff || handoff.state === 'approved') return false;
      if (confirmation !== undefined && confirmation !== handoff.confirmation) {
        await this.secrets.consume('handoff', code, tx);
        return false;
      }
      return this.secrets.change('handoff', code, step, { tx, owner });
    });
    if (!isApproved) throw invalidCode();
  }

  async status(typed: string): Promise<typeof PENDING | typeof EXPIRED> {
    const found = await this.find(normalizeCode(typed));
    const { approval } = found?.handoff ?? {};
    const isVoid = approval !== undefined && !(await this.sessions.isActive(approval.sessionId));
    return found?.isCurrent && !isVoid ? PENDING : EXPIRED;
  }

  /** Returns the session of an approved code once, if the poll secret is right. */
  async collect(typed: string, pollSecret: string, address: string): Promise<Collected> {
    await this.assertNotBlocked(address);
    const code = normalizeCode(typed);
    const found = await this.find(code);
    if (!found?.isCurrent) return EXPIRED;
    const { approval, origin } = found.handoff;
    if (!isSecretOf(found.handoff, pollSecret)) {
      await this.countFailure(address);
      return PENDING;
    }
    return approval && found.seen ? this.issueSession(code, approval, found.seen, origin) : PENDING;
  }

  /** An approval is only valid while the approving session is active. */
  private issueSession(
    code: string,
    { sessionId }: Approval,
    { accountId }: AccountSnapshot,
    origin: Origin,
  ): Promise<Collected> {
    return this.database.transaction(async (tx) => {
      const account = await this.accounts.lock(tx, accountId);
      if (!account || isDeletedOrScheduled(account) || !(await this.sessions.isActive(sessionId, tx))) return EXPIRED;
      this.issuance.assertMaySignIn(account);
      const issued = await this.secrets.consume('handoff', code, tx);
      if (!issued?.seen) return EXPIRED;
      const authentication = await this.sessions.authenticationOf(tx, sessionId);
      const options = { authorizesIp: false, authentication };
      const response = await this.issuance.issue(tx, issued.seen, 'handoff', origin, options);
      await this.notices.send(tx, account, 'session_handed_over', origin);
      return { status: 'completed', ...response };
    });
  }

  /** Without the poll secret, a code can only be canceled before a user has inspected it. */
  async cancel(typed: string, pollSecret: string | undefined): Promise<void> {
    const code = normalizeCode(typed);
    await this.database.transaction(async (tx) => {
      const handoff = await this.lockHandoff(code, tx);
      if (!handoff) return;
      const mayCancel = pollSecret === undefined ? handoff.state === 'fresh' : isSecretOf(handoff, pollSecret);
      if (mayCancel) await this.secrets.consume('handoff', code, tx);
    });
  }

  private async lockHandoff(code: string, tx: Tx): Promise<Handoff | undefined> {
    return (await this.secrets.lock('handoff', code, tx))?.payload;
  }

  private async find(code: string, tx?: Tx) {
    const issued = await this.secrets.peek('handoff', code, tx);
    const age = issued && (await this.secrets.ageOf('handoff', code));
    if (!issued || age === null) return null;
    return { handoff: issued.payload, seen: issued.seen, createdAt: issued.createdAt, isCurrent: age <= CODE_SECONDS };
  }

  private async assertNotBlocked(address: string): Promise<void> {
    if (await this.limiter.hasFailures('handoff', addressKey(address), FAILURE_LIMIT.limit)) throw invalidCode();
  }

  private countFailure(address: string): Promise<void> {
    return this.limiter.recordFailure('handoff', addressKey(address), FAILURE_LIMIT.seconds);
  }
}
