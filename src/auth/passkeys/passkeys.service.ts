import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { privateUserView } from '../../accounts/account.views.js';
import type { Origin } from '../../accounts/events/origin.js';
import { ApiError } from '../../core/errors.js';
import { violatesConstraint } from '../../platform/database/constraints.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Instance } from '../../platform/instance/instance.js';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';
import type { Account } from '../../policy/account.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { Factors } from '../factors/factors.service.js';
import { SecurityNotices } from '../notices/security-notices.service.js';
import { Passkey } from '../records/auth.entities.js';
import { CallerGuard } from '../sessions/caller-guard.service.js';
import { ALGORITHMS, userHandleOf, verifyRegistration } from '../webauthn/webauthn.js';
import { descriptorOf, WebAuthn } from '../webauthn/webauthn.service.js';
import type { Mediation, RegisterPasskeyInput } from './passkeys.dto.js';

/** Maximum number of passkeys per account. */
export const MAX_PASSKEYS = 10;

/** A passkey in a response. Key, counter and transports are never returned (account.md 1.3). */
type PasskeySummary = Pick<Passkey, 'id' | 'name' | 'createdAt' | 'lastUsedAt'>;

export const passkeyView = ({ id, name, createdAt, lastUsedAt }: PasskeySummary) => ({
  id,
  name,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
});

/** Registers, renames and deletes passkeys, and sets whether they are the second factor (account.md 6.3). */
@Injectable()
export class Passkeys {
  constructor(
    private readonly database: Database,
    private readonly webauthn: WebAuthn,
    private readonly accounts: AccountService,
    private readonly callerGuard: CallerGuard,
    private readonly factors: Factors,
    private readonly notices: SecurityNotices,
    private readonly instance: Instance,
    private readonly replicaBus: ReplicaBus,
  ) {}

  /** In the order of registration. */
  async list(accountId: string) {
    return (await this.webauthn.passkeysOf(accountId)).map(passkeyView);
  }

  async registrationOptions({ account }: SessionIdentity, mediation?: Mediation) {
    assertMayAddPasskey(account);
    return {
      rp: { name: this.instance.current.branding.productName, id: this.webauthn.party.id },
      user: { id: userHandleOf(account.id), name: account.username, displayName: account.username },
      challenge: await this.webauthn.challenge('webauthn-registration', account, account.id, { mediation }),
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
      timeout: 60_000,
      excludeCredentials: (await this.webauthn.passkeysOf(account.id)).map(descriptorOf),
      authenticatorSelection: {
        residentKey: 'preferred',
        requireResidentKey: false,
        userVerification: 'preferred',
      },
      attestation: 'none',
      extensions: { credProps: true },
      hints: [],
    };
  }

  /**
   * Needs no sudo mode, because the challenge was issued in sudo mode. The challenge is spent before the response is
   * verified.
   */
  async register(me: SessionIdentity, input: RegisterPasskeyInput, origin: Origin): Promise<void> {
    const { account } = me;
    const { response, challenge, name } = input;
    assertMayAddPasskey(account);
    const spent = await this.webauthn.spendChallenge('webauthn-registration', account.id, challenge);
    if (!spent?.seen) throw invalidCredential();
    const { seen, payload } = spent;
    const rules = { userPresence: payload.mediation !== 'conditional' };
    const credential = await verifyRegistration(response, challenge, this.webauthn.party, rules);
    if (!credential) throw invalidCredential();
    await this.database.transaction(async (tx) => {
      const current = await this.callerGuard.lockCaller(tx, me);
      if (!seen.isStillCurrent(current)) throw invalidCredential();
      assertMayAddPasskey(current);
      try {
        await tx.insert(Passkey, { ...credential, counter: String(credential.counter), accountId: account.id, name });
      } catch (error) {
        throw violatesConstraint(error, 'passkey_pkey') ? invalidCredential() : error;
      }
      await this.notices.send(tx, account, 'passkey_added', origin);
      await this.announce(tx, account.id);
    });
  }

  async rename(me: SessionIdentity, id: string, name: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const account = await this.callerGuard.lockCaller(tx, me);
      const { affected } = await tx.update(Passkey, { id, accountId: account.id }, { name });
      if (affected !== 1) throw new ApiError('UNKNOWN_WEBAUTHN_CREDENTIAL');
      await this.announce(tx, account.id);
    });
  }

  remove(me: SessionIdentity, id: string, origin: Origin): Promise<void> {
    return this.database.transaction(async (tx) =>
      this.removeOf(tx, await this.callerGuard.lockCaller(tx, me), id, origin),
    );
  }

  /**
   * Deletes a passkey. With the last one, the account also loses the second-factor setting and, if it has no
   * authenticator, its backup codes. The owner gets a notice, which names the origin if there is one. `tx` must hold
   * the account.
   * @throws ApiError UNKNOWN_WEBAUTHN_CREDENTIAL
   */
  async removeOf(tx: Tx, before: Account, id: string, origin?: Origin): Promise<void> {
    const accountId = before.id;
    const { affected } = await tx.delete(Passkey, { id, accountId });
    if (affected !== 1) throw new ApiError('UNKNOWN_WEBAUTHN_CREDENTIAL');
    if (before.passkeys === 1) {
      if (before.passkeySecondFactor) await this.accounts.update(tx, accountId, { passkeySecondFactor: false });
      if (!before.hasTotp) await this.factors.removeBackupCodes(tx, accountId);
    }
    await this.accounts.incrementEpoch(tx, accountId);
    await this.notices.send(tx, before, 'passkey_removed', origin);
    await this.announce(tx, accountId);
  }

  /** Deletes all passkeys of an account that is being deleted. */
  async removeAll(tx: Tx, accountId: string): Promise<void> {
    await tx.delete(Passkey, { accountId });
  }

  /** Changes nothing if the value is the same. Creates backup codes if the account has no unused ones. */
  async setSecondFactor(me: SessionIdentity, enabled: boolean, origin: Origin) {
    return this.database.transaction(async (tx) => {
      const { account } = me;
      const current = await this.callerGuard.lockCaller(tx, me);
      if (enabled && current.passkeys === 0) throw new ApiError('NO_PASSKEYS_REGISTERED');
      if (enabled === current.passkeySecondFactor) return { user: privateUserView(current), backup_codes: null };
      await this.accounts.update(tx, account.id, { passkeySecondFactor: enabled });
      const event = enabled ? 'second_factor_enabled' : 'second_factor_disabled';
      await this.notices.send(tx, current, event, origin);
      const needsCodes = enabled && !(await this.factors.hasBackupCodes(account.id, tx));
      return {
        user: privateUserView({ ...current, passkeySecondFactor: enabled }),
        backup_codes: needsCodes ? await this.factors.renewBackupCodes(tx, account.id) : null,
      };
    });
  }

  private async announce(tx: Tx, accountId: string): Promise<void> {
    await this.replicaBus.announceEvent(tx, { type: 'WEBAUTHN_CREDENTIALS_UPDATE', account_id: accountId });
  }
}

/** @throws ApiError MFA_EMAIL_VERIFICATION_REQUIRED, WEBAUTHN_CREDENTIAL_LIMIT_REACHED */
function assertMayAddPasskey(account: Account): void {
  if (account.email === null || !account.emailVerified) throw new ApiError('MFA_EMAIL_VERIFICATION_REQUIRED');
  if (account.passkeys >= MAX_PASSKEYS) throw new ApiError('WEBAUTHN_CREDENTIAL_LIMIT_REACHED');
}

const invalidCredential = (): ApiError => new ApiError('INVALID_WEBAUTHN_CREDENTIAL');
