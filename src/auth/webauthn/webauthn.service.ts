import { Injectable } from '@nestjs/common';
import type { StoredEpochs } from '../../accounts/account-snapshot.js';
import { Config } from '../../core/config/config.js';
import { UNASSIGNED_ID } from '../../core/snowflake.js';
import { type ChangeResult, Database, type Tx } from '../../platform/database/database.js';
import { Passkey } from '../records/auth.entities.js';
import { type IssuedSecret, OneTimeSecrets } from '../secrets/one-time-secrets.service.js';
import {
  type AssertionRules,
  createDummyPasskey,
  credentialIdOf,
  type KnownCredential,
  type RelyingParty,
  verifyAssertion,
} from './webauthn.js';

/** The purpose of a challenge. Each is bound to a subject (auth.md 1.7). */
export type ChallengePurpose =
  | 'webauthn-login'
  | 'webauthn-mfa'
  | 'webauthn-sudo'
  | 'webauthn-registration'
  | 'webauthn-bridge';

/** A challenge and its response, as the client sent them. */
export interface Assertion {
  readonly challenge: string;
  readonly response: object;
}

/** The owner of a passkey, with the epochs from before its verification. */
export type PasskeyHolder = StoredEpochs & { readonly isBackupEligible: boolean };

type HeldRow = Omit<KnownCredential, 'id'> & Omit<StoredEpochs, 'id'> & { readonly isThere: boolean };

const CHALLENGE_SECONDS = 300;
const TIMEOUT_MS = 60_000;

/** The descriptor of a passkey in WebAuthn options. */
export const descriptorOf = ({ id, transports }: Passkey) => ({
  id,
  type: 'public-key' as const,
  ...(transports.length > 0 ? { transports } : {}),
});

/** WebAuthn challenges and assertions (auth.md section 3). */
@Injectable()
export class WebAuthn {
  readonly party: RelyingParty;
  private readonly dummyPasskey = createDummyPasskey();

  constructor(
    private readonly database: Database,
    private readonly secrets: OneTimeSecrets,
    config: Config,
  ) {
    this.party = { id: config.webauthnRpId, origins: config.webauthnOrigins };
  }

  /** Issues a challenge for one purpose and subject. It is valid for five minutes. */
  challenge(
    purpose: ChallengePurpose,
    owner: StoredEpochs,
    subject: string = owner.id,
    payload: Record<string, unknown> = {},
  ): Promise<string> {
    return this.secrets.issue(purpose, owner, payload, CHALLENGE_SECONDS, { subject });
  }

  /** Spends a challenge. Succeeds for exactly one caller, and only for the right purpose and subject. */
  async spendChallenge(
    purpose: ChallengePurpose,
    subject: string,
    challenge: string,
    tx: Tx = this.database.manager,
  ): Promise<IssuedSecret | null> {
    const issued = await this.secrets.consume(purpose, challenge, tx);
    return issued?.subject === subject ? issued : null;
  }

  passkeysOf(accountId: string, tx: Tx = this.database.manager): Promise<Passkey[]> {
    return tx.find(Passkey, { where: { accountId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** Returns options for any passkey. The authenticator must verify the user. */
  async discoverableOptions(purpose: 'webauthn-login' | 'webauthn-bridge', subject: string) {
    return {
      challenge: await this.secrets.issue(purpose, subject, {}, CHALLENGE_SECONDS),
      timeout: TIMEOUT_MS,
      rpId: this.party.id,
      userVerification: 'required' as const,
    };
  }

  /** Returns options for the passkeys of one account. */
  async accountOptions(purpose: ChallengePurpose, owner: StoredEpochs, subject: string, passkeys: readonly Passkey[]) {
    return {
      challenge: await this.challenge(purpose, owner, subject),
      timeout: TIMEOUT_MS,
      rpId: this.party.id,
      allowCredentials: passkeys.map(descriptorOf),
      userVerification: 'discouraged' as const,
    };
  }

  /**
   * Verifies an assertion of any passkey. Returns its account, with the epochs from before the verification, or `null`
   * if it fails.
   */
  discover(subject: string, assertion: Assertion, purpose: ChallengePurpose = 'webauthn-login') {
    const rules = { userVerification: true, userHandle: true };
    return this.verify(purpose, subject, assertion, rules);
  }

  /**
   * Verifies an assertion of a passkey of this account. Returns the account, with the epochs from before the
   * verification, or `null` if it fails.
   */
  prove(accountId: string, purpose: ChallengePurpose, subject: string, assertion: Assertion, tx?: Tx) {
    const rules = { userVerification: false, userHandle: false };
    return this.verify(purpose, subject, assertion, rules, accountId, tx);
  }

  /** Spends the challenge before the verification. On success, stores the counter and the time of use. */
  private async verify(
    purpose: ChallengePurpose,
    subject: string,
    { challenge, response }: Assertion,
    rules: AssertionRules,
    accountId?: string,
    tx: Tx = this.database.manager,
  ): Promise<PasskeyHolder | null> {
    if (!(await this.spendChallenge(purpose, subject, challenge, tx))) return null;
    const id = credentialIdOf(response);
    if (!id) return null;
    const found = await this.find(tx, id);
    const known = accountId === undefined || found?.passkey.accountId === accountId ? found : null;
    const counter = await verifyAssertion(response, known?.passkey ?? this.dummyPasskey, challenge, this.party, rules);
    return known && counter !== null && (await this.recordUse(tx, known.passkey, counter)) ? known.holder : null;
  }

  /**
   * Finds a passkey and its account. It always runs one statement with one row, so that timing does not reveal whether
   * the passkey exists.
   */
  private async find(tx: Tx, id: string): Promise<{ passkey: KnownCredential; holder: PasskeyHolder } | null> {
    const [{ isThere, accountId, publicKey, backupEligible, epoch, addressEpoch }] = await tx.query<[HeldRow]>(
      `SELECT a.id IS NOT NULL AS "isThere", coalesce(p.account_id, $2) AS "accountId",
         coalesce(p.public_key, $3) AS "publicKey", coalesce(p.backup_eligible, false) AS "backupEligible",
         coalesce(a.epoch, 0) AS epoch, coalesce(a.address_epoch, 0) AS "addressEpoch"
       FROM (SELECT 1) one
         LEFT JOIN passkey p ON p.id = $1
         LEFT JOIN account a ON a.id = coalesce(p.account_id, 0)`,
      [id, UNASSIGNED_ID, this.dummyPasskey.publicKey],
    );
    if (!isThere) return null;
    return {
      passkey: { id, accountId, publicKey, backupEligible },
      holder: { id: accountId, epoch, addressEpoch, isBackupEligible: backupEligible },
    };
  }

  /**
   * The counter must increase, and this is checked in the UPDATE, so that parallel assertions cannot decrease it. 0
   * means that the authenticator has no counter.
   */
  private async recordUse(tx: Tx, { id, accountId }: KnownCredential, counter: number): Promise<boolean> {
    const [rows] = await tx.query<ChangeResult>(
      `UPDATE passkey SET counter = GREATEST(counter, $3::bigint), last_used_at = now()
       WHERE id = $1 AND account_id = $2 AND (counter < $3::bigint OR (counter = 0 AND $3::bigint = 0)) RETURNING id`,
      [id, accountId, counter],
    );
    return rows.length === 1;
  }
}
