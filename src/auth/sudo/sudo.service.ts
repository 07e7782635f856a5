import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type CryptoKey, errors, importJWK, jwtVerify, SignJWT } from 'jose';
import { hasFactor } from '../../accounts/account-facts.js';
import { getOrigin, type Origin } from '../../accounts/events/origin.js';
import { SecurityEvents } from '../../accounts/events/security-events.service.js';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { ApiError, validationError } from '../../core/errors.js';
import { Keyring } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { Account } from '../../policy/account.js';
import type { Call, SudoMembers } from '../../policy/call.js';
import type { Identity } from '../../policy/identity.js';
import { Factors } from '../factors/factors.service.js';
import { Passwords } from '../factors/passwords.service.js';
import {
  type Authentication,
  type AuthenticationLevel,
  BY_CODE,
  BY_PASSWORD,
  byPasskey,
  withSecondFactor,
} from '../records/authentication.js';
import { WebAuthn } from '../webauthn/webauthn.service.js';
import { SudoAttempts } from './sudo-attempts.service.js';

export const SUDO_PROOF_SECONDS = 300;
const TOKEN_TYPE = 'gatehouse-sudo+jwt';
const COMPACT_JWT = /^[A-Za-z0-9_-]{1,512}\.[A-Za-z0-9_-]{1,1024}\.[A-Za-z0-9_-]{43}$/;

type SudoMethod = 'password' | 'code' | 'passkey' | 'passkey_bridge';

const isCanonical = (proof: string): boolean =>
  COMPACT_JWT.test(proof) &&
  proof.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);

/** Sudo mode: the algorithm of account.md 8.3 and the proofs of credentials.md section 6. */
@Injectable()
export class SudoService {
  private readonly importedKeys = new Map<string, Promise<CryptoKey | Uint8Array>>();

  constructor(
    private readonly keyring: Keyring,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly attempts: SudoAttempts,
    private readonly passwords: Passwords,
    private readonly factors: Factors,
    private readonly webauthn: WebAuthn,
    private readonly database: Database,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Requires sudo mode. Returns the proof for the response: the one that the client sent or a new one. Returns `null`
   * if the account gets no proof.
   * @throws ApiError SUDO_MODE_REQUIRED, FV(INVALID_PASSWORD@password), FV(INVALID_MFA_CODE@mfa_code)
   */
  async demand({ account }: Identity, call: Call): Promise<string | null> {
    if (account.bot || (!account.hasPassword && !hasFactor(account))) return null;
    const members = call.sudoMembers ?? {};
    if (!hasFactor(account)) {
      await this.assertPassword(account, members);
      await this.recordGrant(this.database.manager, account, 'password', getOrigin(call));
      return null;
    }
    const sent = call.sudoProof;
    if (sent !== undefined && (await this.isValid(sent, account))) return sent;
    await this.assertFactor(account, members, getOrigin(call));
    call.sudoFactorSpent = true;
    return this.issue(account);
  }

  /** Requires a valid proof. @throws ApiError SUDO_MODE_REQUIRED, also for accounts that get no proof */
  async demandProof({ account }: Identity, { sudoProof }: Pick<Call, 'sudoProof'>): Promise<void> {
    const isProved = hasFactor(account) && sudoProof !== undefined && (await this.isValid(sudoProof, account));
    if (!isProved) throw await this.sudoRequired(account);
  }

  /**
   * Verifies the factors in a body and returns how the user authenticated now. The proof of sudo mode does not count.
   * @param level the lowest level to reach, which the account must be able to reach
   * @throws ApiError SUDO_MODE_REQUIRED, FV(INVALID_PASSWORD@password), FV(INVALID_MFA_CODE@mfa_code)
   */
  async authenticate(
    account: Account,
    members: SudoMembers,
    { origin, level }: { origin: Origin; level: AuthenticationLevel },
  ): Promise<Authentication> {
    const at = this.clock.date();
    if (!hasFactor(account)) {
      await this.assertPassword(account, members);
      await this.recordGrant(this.database.manager, account, 'password', origin);
      return { ...BY_PASSWORD, at };
    }
    if (members.mfa_method === 'webauthn' || level === 1) {
      return { ...(await this.assertFactor(account, members, origin)), at };
    }
    // A code is a second factor only next to the password.
    if (level === 3 || members.mfa_code === undefined) throw await this.sudoRequired(account, level);
    await this.assertPassword(account, members, level);
    const second = await this.assertFactor(account, members, origin);
    return { ...withSecondFactor(BY_PASSWORD.amr, second), at };
  }

  private async assertPassword(
    account: Account,
    { password }: SudoMembers,
    level: AuthenticationLevel = 1,
  ): Promise<void> {
    if (password === undefined) throw await this.sudoRequired(account, level);
    const isRight = () => this.passwords.isPasswordOf(account.id, password);
    if (!(await this.attempts.verify(account.id, isRight))) throw validationError('password', 'INVALID_PASSWORD');
  }

  private async assertFactor(account: Account, members: SudoMembers, origin: Origin): Promise<Authentication> {
    const wrong = () => validationError('mfa_code', 'INVALID_MFA_CODE');
    if (members.mfa_method === 'totp' && members.mfa_code !== undefined) {
      const { mfa_code: code } = members;
      const spend = async (tx: Tx) => ((await this.factors.spendCode(account.id, code, tx)) ? BY_CODE : null);
      const isRight = async () => (await this.verifyAndRecord(account, 'code', origin, spend)) !== null;
      if (!(await this.attempts.verify(account.id, isRight))) throw wrong();
      return BY_CODE;
    }
    const { webauthn_challenge: challenge, webauthn_response: response } = members;
    if (members.mfa_method === 'webauthn' && challenge !== undefined && response !== undefined) {
      // Passkeys are not limited, so that a user with a passkey is not locked out when all attempts are used.
      const assertion = { challenge, response };
      const prove = async (tx: Tx) => {
        const holder = await this.webauthn.prove(account.id, 'webauthn-sudo', account.id, assertion, tx);
        return holder && byPasskey(holder);
      };
      const proved = await this.verifyAndRecord(account, 'passkey', origin, prove);
      if (!proved) throw wrong();
      return proved;
    }
    throw await this.sudoRequired(account);
  }

  /** Verifies a factor, or returns `null`. Spends the factor and records the event in one transaction. */
  private verifyAndRecord(
    account: Account,
    method: SudoMethod,
    origin: Origin,
    verify: (tx: Tx) => Promise<Authentication | null>,
  ): Promise<Authentication | null> {
    return this.database.transaction(async (tx) => {
      const proved = await verify(tx);
      if (proved) await this.recordGrant(tx, account, method, origin);
      return proved;
    });
  }

  /** Records the event that a signed-in user entered sudo mode. */
  async recordGrant(tx: Tx, { id }: Account, method: SudoMethod, origin: Origin): Promise<void> {
    await this.events.record(tx, { accountId: id, type: 'sudo_granted', origin, data: { method } });
  }

  /** Lists the methods that reach the level. */
  private async sudoRequired(account: Account, level: AuthenticationLevel = 1): Promise<ApiError> {
    const { has_mfa, ...usable } = await this.methodsOf(account);
    const canUseCodes = level === 1 || (level === 2 && account.hasPassword);
    const methods = canUseCodes ? usable : { ...usable, totp: false, backup_codes: false };
    const isPasswordNeeded = level === 2 && canUseCodes && has_mfa;
    return new ApiError('SUDO_MODE_REQUIRED', {
      has_mfa,
      methods,
      ...(isPasswordNeeded && { password_required: true }),
    });
  }

  /** Returns the methods that the account can use for sudo mode (account.md 8.2). */
  async methodsOf(account: Account) {
    return {
      totp: account.hasTotp,
      webauthn: account.passkeys > 0,
      backup_codes: await this.factors.hasBackupCodes(account.id),
      has_mfa: hasFactor(account),
    };
  }

  /** @throws ApiError NO_PASSKEYS_REGISTERED */
  async webauthnOptions(account: Account) {
    const { id, passkeys } = account;
    if (passkeys === 0) throw new ApiError('NO_PASSKEYS_REGISTERED');
    return this.webauthn.accountOptions('webauthn-sudo', account, id, await this.webauthn.passkeysOf(id));
  }

  /** Issues a new proof for an account that has just verified a factor. */
  async issue(account: Account): Promise<string> {
    const { id: kid, bytes } = this.keyring.signing('sudo');
    const now = this.clock.seconds();
    return new SignJWT({ epoch: account.epoch })
      .setProtectedHeader({ alg: 'HS256', typ: TOKEN_TYPE, kid })
      .setIssuer(this.config.publicOrigin)
      .setAudience('sudo')
      .setSubject(account.id)
      .setIssuedAt(now)
      .setExpirationTime(now + SUDO_PROOF_SECONDS)
      .setJti(randomUUID())
      .sign(await this.key(kid, bytes));
  }

  /** Whether a proof is valid. Does not report why a proof is invalid. */
  async isValid(proof: string, account: Account): Promise<boolean> {
    if (!isCanonical(proof)) return false;
    try {
      const { payload } = await jwtVerify(
        proof,
        ({ kid }) => {
          const key = this.keyring.keys('sudo').find(({ id }) => id === kid);
          if (!key) throw new errors.JWSInvalid('unknown key');
          return this.key(key.id, key.bytes);
        },
        {
          algorithms: ['HS256'],
          typ: TOKEN_TYPE,
          issuer: this.config.publicOrigin,
          audience: 'sudo',
          subject: account.id,
          currentDate: this.clock.date(),
          clockTolerance: 0,
          maxTokenAge: SUDO_PROOF_SECONDS,
          requiredClaims: ['iat', 'exp', 'jti', 'epoch'],
        },
      );
      return payload.epoch === account.epoch;
    } catch (error) {
      if (error instanceof errors.JOSEError) return false;
      throw error;
    }
  }

  private key(id: string, bytes: Buffer): Promise<CryptoKey | Uint8Array> {
    const known = this.importedKeys.get(id);
    if (known) return known;
    const key = importJWK({ kty: 'oct', k: bytes.toString('base64url'), alg: 'HS256' }, 'HS256');
    this.importedKeys.set(id, key);
    return key;
  }
}
