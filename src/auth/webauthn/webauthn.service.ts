import { Injectable } from '@nestjs/common';
import type { Begun } from '../../accounts/seen.js';
import { Config } from '../../core/config/config.js';
import { type Changed, Database, type Tx } from '../../platform/database/database.js';
import { Passkey } from '../records/auth.entities.js';
import { type Issued, OneTimeSecrets } from '../secrets/one-time-secrets.service.js';
import { type AssertionRules, credentialIdOf, type RelyingParty, verifyAssertion } from './webauthn.js';

/** What a challenge works for; each is bound to a subject of its own (auth.md 1.7). */
export type ChallengePurpose =
  | 'webauthn-login'
  | 'webauthn-mfa'
  | 'webauthn-sudo'
  | 'webauthn-registration'
  | 'webauthn-bridge';

/** A challenge and the answer to it, as an operation received them. */
export interface Assertion {
  readonly challenge: string;
  readonly response: object;
}

const CHALLENGE_SECONDS = 300;
const TIMEOUT_MS = 60_000;

/** A passkey as options name it. */
export const descriptorOf = ({ id, transports }: Passkey) => ({
  id,
  type: 'public-key' as const,
  ...(transports.length > 0 ? { transports } : {}),
});

/** Challenges and the assertions that answer them (auth.md section 3). */
@Injectable()
export class WebAuthn {
  readonly party: RelyingParty;

  constructor(
    private readonly database: Database,
    private readonly secrets: OneTimeSecrets,
    config: Config,
  ) {
    this.party = { id: config.webauthnRpId, origins: config.webauthnOrigins };
  }

  /** A challenge for one purpose and subject, alive for five minutes. */
  challenge(purpose: ChallengePurpose, owner: Begun, subject: string = owner.id): Promise<string> {
    return this.secrets.issue(purpose, owner, {}, CHALLENGE_SECONDS, { subject });
  }

  /** Spends a challenge: for exactly one caller, and only for the purpose and subject that it was issued for. */
  async spendChallenge(
    purpose: ChallengePurpose,
    subject: string,
    challenge: string,
    tx: Tx = this.database.manager,
  ): Promise<Issued | null> {
    const issued = await this.secrets.consume(purpose, challenge, tx);
    return issued?.subject === subject ? issued : null;
  }

  passkeysOf(accountId: string, tx: Tx = this.database.manager): Promise<Passkey[]> {
    return tx.find(Passkey, { where: { accountId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** Options for whoever holds a passkey: the authenticator itself must verify its user. */
  async discoverableOptions(purpose: 'webauthn-login' | 'webauthn-bridge', subject: string) {
    return {
      challenge: await this.secrets.issue(purpose, subject, {}, CHALLENGE_SECONDS),
      timeout: TIMEOUT_MS,
      rpId: this.party.id,
      userVerification: 'required' as const,
    };
  }

  /** Options for the passkeys of one account. */
  async accountOptions(purpose: ChallengePurpose, owner: Begun, subject: string, passkeys: readonly Passkey[]) {
    return {
      challenge: await this.challenge(purpose, owner, subject),
      timeout: TIMEOUT_MS,
      rpId: this.party.id,
      allowCredentials: passkeys.map(descriptorOf),
      userVerification: 'discouraged' as const,
    };
  }

  /** Who answered a discoverable request, as the account was before; `null` for any failed assertion. */
  discover(subject: string, assertion: Assertion, purpose: ChallengePurpose = 'webauthn-login') {
    const rules = { userVerification: true, userHandle: true };
    return this.verify(purpose, subject, assertion, rules);
  }

  /** The account, as it was before, if a passkey of it answered; `null` for any failed assertion. */
  prove(accountId: string, purpose: ChallengePurpose, subject: string, assertion: Assertion, tx?: Tx) {
    const rules = { userVerification: false, userHandle: false };
    return this.verify(purpose, subject, assertion, rules, accountId, tx);
  }

  /** The challenge is spent before anything is verified; success stores counter and last use. */
  private async verify(
    purpose: ChallengePurpose,
    subject: string,
    { challenge, response }: Assertion,
    rules: AssertionRules,
    accountId?: string,
    tx: Tx = this.database.manager,
  ): Promise<Begun | null> {
    if (!(await this.spendChallenge(purpose, subject, challenge, tx))) return null;
    const id = credentialIdOf(response);
    const passkey = id && (await tx.findOne(Passkey, { where: { id } }));
    if (!passkey || (accountId !== undefined && passkey.accountId !== accountId)) return null;
    const holder = await this.holderOf(passkey, tx);
    const counter = await verifyAssertion(response, passkey, challenge, this.party, rules);
    return counter !== null && (await this.recordUse(tx, passkey, counter)) ? holder : null;
  }

  private async holderOf({ accountId }: Passkey, tx: Tx): Promise<Begun> {
    const [row] = await tx.query<[Begun]>(
      'SELECT id, epoch, address_epoch AS "addressEpoch" FROM account WHERE id = $1',
      [accountId],
    );
    return row;
  }

  /** Strictly increasing at the moment of writing, so parallel assertions cannot turn it back; 0 means that there is none. */
  private async recordUse(tx: Tx, { id, accountId }: Passkey, counter: number): Promise<boolean> {
    const [rows] = await tx.query<Changed>(
      `UPDATE passkey SET counter = GREATEST(counter, $3::bigint), last_used_at = now()
       WHERE id = $1 AND account_id = $2 AND (counter < $3::bigint OR (counter = 0 AND $3::bigint = 0)) RETURNING id`,
      [id, accountId, counter],
    );
    return rows.length === 1;
  }
}
