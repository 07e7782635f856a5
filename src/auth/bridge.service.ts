import { Injectable } from '@nestjs/common';
import { Config } from '../config.js';
import { invalid, Refusal } from '../errors.js';
import { Database, type Tx } from '../platform/database.js';
import type { Account, SessionIdentity } from '../policy/identity.js';
import { digest, matches, mintToken } from '../secrets.js';
import { AccountService } from '../users/account.service.js';
import { Passkey } from './auth.entities.js';
import type { RedeemBridgeInput, StartBridgeInput, StartSudoBridgeInput } from './bridge.dto.js';
import { Issuance, isGone } from './issuance.service.js';
import { MfaTickets } from './mfa-tickets.service.js';
import { OneTimeSecrets } from './one-time-secrets.service.js';
import type { Origin } from './sessions.service.js';
import { SudoService } from './sudo.service.js';
import { claimedChallengeOf } from './webauthn.js';
import { WebAuthn } from './webauthn.service.js';

type Runner = 'page' | 'native';

/** What a ceremony is for, and which account it is bound to where that is known at its start. */
type Aim =
  | { readonly kind: 'login' }
  | { readonly kind: 'login_mfa'; readonly accountId: string; readonly ticketKey: string }
  | { readonly kind: 'sudo'; readonly accountId: string };

interface Ceremony {
  readonly step: 'open' | 'ended';
  readonly aim: Aim;
  readonly runner: Runner;
  readonly nonceHash: string;
}

/** How a ceremony ended on the bridge origin. */
interface Outcome {
  readonly completionDigest: string;
  /** Absent when it was cancelled. */
  readonly proven?: { readonly accountId: string; readonly passkeyId: string; readonly epoch: number };
}

const CEREMONY_SECONDS = 300;
const WRONG_REDEMPTIONS = 5;
const CEREMONY = 'bridge-ceremony';

const failed = (): Refusal => new Refusal('PASSKEY_AUTHENTICATION_FAILED');
const hexDigest = (secret: string): string => digest(secret).toString('hex');
const isDigestOf = (expected: string, secret: string): boolean => matches(Buffer.from(expected, 'hex'), digest(secret));

/**
 * A passkey of another first-party origin, for a page here or a native client (auth.md 4.5). The starter keeps a nonce
 * and the bridge origin hands out a completion code; only who holds both redeems.
 */
@Injectable()
export class PasskeyBridge {
  constructor(
    private readonly database: Database,
    private readonly secrets: OneTimeSecrets,
    private readonly webauthn: WebAuthn,
    private readonly tickets: MfaTickets,
    private readonly accounts: AccountService,
    private readonly issuance: Issuance,
    private readonly sudo: SudoService,
    private readonly config: Config,
  ) {}

  async start({ purpose, ticket, ...input }: StartBridgeInput) {
    this.demandEnabled();
    if (purpose === 'login') return this.open({ kind: 'login' }, input);
    if (ticket === undefined) throw invalid('ticket', 'INVALID_FORMAT');
    const { account, key } = await this.tickets.require(ticket);
    return this.open({ kind: 'login_mfa', accountId: account.id, ticketKey: key }, input);
  }

  async startSudo({ account }: SessionIdentity, input: StartSudoBridgeInput) {
    this.demandEnabled();
    if (account.passkeys === 0) throw new Refusal('NO_PASSKEYS_REGISTERED');
    return this.open({ kind: 'sudo', accountId: account.id }, input);
  }

  private demandEnabled(): void {
    if (!this.config.passkeyBridge) throw new Refusal('FEATURE_TEMPORARILY_DISABLED');
  }

  private async open(aim: Aim, { runner, nonce_hash: nonceHash }: StartSudoBridgeInput) {
    const ceremony: Ceremony = { step: 'open', aim, runner, nonceHash };
    const id = await this.secrets.issue(CEREMONY, subjectOf(aim), { ...ceremony }, CEREMONY_SECONDS);
    const url = `${this.config.webAppUrl}/passkey-bridge#ceremony_id=${id}`;
    return { ceremony_id: id, bridge_url: runner === 'page' ? url : null };
  }

  /** A new call replaces the challenge. */
  async options(id: string, origin: string | undefined) {
    const { aim } = await this.requireOpen(id, origin);
    const subject = hexDigest(id);
    await this.secrets.revokeAll('webauthn-bridge', subject);
    if (aim.kind === 'login') return { options: await this.webauthn.discoverableOptions('webauthn-bridge', subject) };
    const passkeys = await this.webauthn.passkeysOf(aim.accountId);
    return { options: await this.webauthn.accountOptions('webauthn-bridge', subject, passkeys) };
  }

  async complete(id: string, response: object, origin: string | undefined) {
    const { aim, runner } = await this.requireOpen(id, origin);
    const missed = aim.kind === 'login_mfa' ? await this.chargeTicket(aim.ticketKey) : undefined;
    const passkey = await this.examine(id, aim, response);
    if (!passkey) await missed?.();
    const account = passkey && (await this.accounts.find(passkey.accountId));
    if (!account || isGone(account)) throw failed();
    return this.end(id, runner, { accountId: account.id, passkeyId: passkey.id, epoch: account.epoch });
  }

  async cancel(id: string, origin: string | undefined) {
    const { runner } = await this.requireOpen(id, origin);
    return this.end(id, runner);
  }

  private async examine(id: string, aim: Aim, response: object): Promise<Passkey | null> {
    const challenge = claimedChallengeOf(response);
    if (challenge === null) return null;
    const [subject, assertion] = [hexDigest(id), { challenge, response }];
    return aim.kind === 'login'
      ? this.webauthn.discover(subject, assertion, 'webauthn-bridge')
      : this.webauthn.prove(aim.accountId, 'webauthn-bridge', subject, assertion);
  }

  /** Counts as an attempt at the second factor. Returns what a wrong answer has to call. */
  private async chargeTicket(key: string): Promise<() => Promise<void>> {
    const ticket = await this.tickets.find(key);
    if (!ticket) throw failed();
    return this.tickets.charge(ticket, 'ticket');
  }

  private async end(id: string, runner: Runner, proven?: Outcome['proven']) {
    const code = mintToken();
    const outcome: Outcome = { completionDigest: hexDigest(code), ...(proven ? { proven } : {}) };
    const isFirst = await this.secrets.change(CEREMONY, id, [{ step: 'open' }, { step: 'ended', ...outcome }]);
    if (!isFirst) throw failed();
    const url = `${this.config.webAppUrl}/auth/passkey#completion_code=${code}&ceremony_id=${id}`;
    return runner === 'page' ? { return_url: url, completion_code: null } : { return_url: null, completion_code: code };
  }

  async redeem(id: string, input: RedeemBridgeInput, origin: Origin) {
    const { aim, proven } = await this.requireEnded(id, input, ({ kind }) => kind !== 'sudo');
    if (!proven) return this.cancelled(id);
    const session = await this.database.transaction(async (tx) => {
      const account = await this.spend(tx, id, proven);
      if (aim.kind === 'login_mfa') await this.tickets.spend(tx, aim.ticketKey);
      return this.issuance.issue(tx, account, origin, { invalid: failed });
    });
    if (aim.kind === 'login_mfa') await this.tickets.clear({ account: { id: aim.accountId }, key: aim.ticketKey });
    return { status: 'completed', ...session };
  }

  async redeemSudo({ account: me }: SessionIdentity, id: string, input: RedeemBridgeInput) {
    const { proven } = await this.requireEnded(id, input, (aim) => aim.kind === 'sudo' && aim.accountId === me.id);
    if (!proven) return this.cancelled(id);
    const account = await this.database.transaction((tx) => this.spend(tx, id, proven));
    if (account.epoch !== proven.epoch) throw failed();
    return { status: 'completed', sudo_token: await this.sudo.issue(account) };
  }

  /**
   * The ceremony works once, and only while the passkey that completed it is still registered. The account is locked
   * first, as everywhere.
   */
  private async spend(tx: Tx, id: string, proven: NonNullable<Outcome['proven']>): Promise<Account> {
    const { accountId, passkeyId } = proven;
    const account = await this.accounts.lock(tx, accountId);
    if (!(await this.secrets.consume(CEREMONY, id, tx))) throw failed();
    if (!account || !(await tx.existsBy(Passkey, { id: passkeyId, accountId }))) throw failed();
    return account;
  }

  private async cancelled(id: string) {
    if (!(await this.secrets.consume(CEREMONY, id))) throw failed();
    return { status: 'cancelled' };
  }

  private async find(id: string): Promise<Ceremony | undefined> {
    return (await this.secrets.peek(CEREMONY, id))?.payload as Ceremony | undefined;
  }

  /** The origin header is the browser's own word on who asks; a native client may have none. */
  private async requireOpen(id: string, origin: string | undefined): Promise<Ceremony> {
    const ceremony = await this.find(id);
    if (ceremony?.step !== 'open') throw failed();
    const isAllowed =
      origin === undefined ? ceremony.runner === 'native' : this.config.webauthnOrigins.includes(origin);
    if (!isAllowed) throw new Refusal('INVALID_API_ORIGIN');
    return ceremony;
  }

  /** An ended ceremony of the right kind whose nonce and completion code are right; wrong ones are counted. */
  private async requireEnded(
    id: string,
    { nonce, completion_code: code }: RedeemBridgeInput,
    isKind: (aim: Aim) => boolean,
  ): Promise<Ceremony & Outcome> {
    const seen = await this.find(id);
    if (seen?.step !== 'ended' || !isKind(seen.aim)) throw failed();
    const issued = await this.secrets.attempt(CEREMONY, id, WRONG_REDEMPTIONS);
    const ended = issued?.payload as unknown as (Ceremony & Outcome) | undefined;
    if (!ended || !isDigestOf(ended.nonceHash, nonce) || !isDigestOf(ended.completionDigest, code)) throw failed();
    return ended;
  }
}

const subjectOf = (aim: Aim): string => (aim.kind === 'login' ? '' : aim.accountId);
