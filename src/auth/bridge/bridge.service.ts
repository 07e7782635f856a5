import { Injectable } from '@nestjs/common';
import { AccountService } from '../../accounts/account.service.js';
import { isDeletedOrScheduled } from '../../accounts/account-facts.js';
import type { AccountSnapshot, StoredEpochs } from '../../accounts/account-snapshot.js';
import { knownClientInfo, type Origin } from '../../accounts/events/origin.js';
import { maskAddress } from '../../core/address.js';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { ApiError, validationError } from '../../core/errors.js';
import { digest, equalsInConstantTime, mintToken } from '../../core/secrets.js';
import { Database, type Tx } from '../../platform/database/database.js';
import type { SessionIdentity } from '../../policy/identity.js';
import { MfaTickets } from '../factors/mfa-tickets.service.js';
import { byPasskey, withSecondFactor } from '../records/authentication.js';
import { OneTimeSecrets } from '../secrets/one-time-secrets.service.js';
import { CallerGuard } from '../sessions/caller-guard.service.js';
import { Issuance, type TokenResponse } from '../sessions/issuance.service.js';
import { SudoService } from '../sudo/sudo.service.js';
import { claimedChallengeOf } from '../webauthn/webauthn.js';
import { type PasskeyHolder, WebAuthn } from '../webauthn/webauthn.service.js';
import type { RedeemBridgeInput, StartBridgeInput, StartSudoBridgeInput } from './bridge.dto.js';

type Runner = 'page' | 'native';

/** The purpose of a ceremony and, if it is known at the start, the account. */
type CeremonyPurpose =
  | { readonly kind: 'login' }
  | { readonly kind: 'login_mfa'; readonly accountId: string; readonly ticketKey: string }
  | { readonly kind: 'sudo'; readonly accountId: string };

/** The requesting device as the bridge page shows it (web.md section 2). */
interface RequestingDevice {
  readonly origin: Origin;
  readonly at: string;
}

interface CeremonyFacts {
  readonly aim: CeremonyPurpose;
  readonly runner: Runner;
  readonly nonceHash: string;
  /** The device that started the ceremony. It is absent in ceremonies from before this member existed. */
  readonly asker?: RequestingDevice;
}

/** The result of a ceremony on the bridge origin. */
interface Outcome {
  readonly completionDigest: string;
  readonly isCancelled: boolean;
  /** Absent for canceled ceremonies, and for those from before this member existed. */
  readonly isBackupEligible?: boolean;
}

type OpenCeremony = CeremonyFacts & { readonly step: 'open' };
type EndedCeremony = CeremonyFacts & Outcome & { readonly step: 'ended' };

declare module '../../core/merged.js' {
  interface SecretPayloads {
    'bridge-ceremony': OpenCeremony | EndedCeremony;
  }
}

/** A stored ceremony and the snapshot of the account that it is bound to. */
type WithSnapshot<T> = T & { readonly seen: AccountSnapshot | null };

const CEREMONY_SECONDS = 300;
const MAX_REDEMPTION_ATTEMPTS = 5;
const SECRET_PURPOSE = 'bridge-ceremony';
const NO_OWNER = '';

const failed = (): ApiError => new ApiError('PASSKEY_AUTHENTICATION_FAILED');
const hexDigest = (secret: string): string => digest(secret).toString('hex');
const deviceView = ({ origin, at }: RequestingDevice) => ({
  ...{ client_info: knownClientInfo(origin), masked_ip: maskAddress(origin.ip), at },
});
const isDigestOf = (expected: string, secret: string): boolean =>
  equalsInConstantTime(Buffer.from(expected, 'hex'), digest(secret));

export interface CancelledCeremony {
  readonly status: 'cancelled';
}

export type CompletedCeremony<Won> = { readonly status: 'completed' } & Won;

/**
 * Uses a passkey of another first-party origin for a page or a native client (auth.md 4.5). The client keeps a nonce,
 * and the bridge origin returns a completion code. Both are needed to redeem the ceremony.
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
    private readonly callerGuard: CallerGuard,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  async start({ purpose, ticket, ...input }: StartBridgeInput, origin: Origin) {
    this.assertEnabled();
    if (purpose === 'login') return this.open({ kind: 'login' }, NO_OWNER, input, origin);
    if (ticket === undefined) throw validationError('ticket', 'INVALID_FORMAT');
    const { account, key } = await this.tickets.require(ticket);
    return this.open({ kind: 'login_mfa', accountId: account.id, ticketKey: key }, account, input, origin);
  }

  async startSudo({ account }: SessionIdentity, input: StartSudoBridgeInput, origin: Origin) {
    this.assertEnabled();
    if (account.passkeys === 0) throw new ApiError('NO_PASSKEYS_REGISTERED');
    return this.open({ kind: 'sudo', accountId: account.id }, account, input, origin);
  }

  private assertEnabled(): void {
    if (!this.config.passkeyBridge) throw new ApiError('FEATURE_TEMPORARILY_DISABLED');
  }

  private async open(
    aim: CeremonyPurpose,
    owner: StoredEpochs | typeof NO_OWNER,
    input: StartSudoBridgeInput,
    origin: Origin,
  ) {
    const { runner, nonce_hash: nonceHash } = input;
    const asker = { origin, at: new Date(this.clock.now()).toISOString() };
    const ceremony: OpenCeremony = { step: 'open', aim, runner, nonceHash, asker };
    const id = await this.secrets.issue(SECRET_PURPOSE, owner, ceremony, CEREMONY_SECONDS);
    const url = `${this.config.webAppUrl}/passkey-bridge#ceremony_id=${id}`;
    return { ceremony_id: id, bridge_url: runner === 'page' ? url : null };
  }

  /** A repeated call replaces the challenge. */
  async options(id: string, origin: string | undefined) {
    const { aim, asker } = await this.requireOpen(id, origin);
    const subject = hexDigest(id);
    await this.secrets.revokeAll('webauthn-bridge', subject);
    const requested_by = asker ? deviceView(asker) : null;
    if (aim.kind === 'login') {
      return { options: await this.webauthn.discoverableOptions('webauthn-bridge', subject), requested_by };
    }
    const account = await this.accounts.find(aim.accountId);
    if (!account) throw failed();
    const passkeys = await this.webauthn.passkeysOf(account.id);
    return { options: await this.webauthn.accountOptions('webauthn-bridge', account, subject, passkeys), requested_by };
  }

  async complete(id: string, response: object, by: Origin, origin: string | undefined) {
    const { aim, runner } = await this.requireOpen(id, origin);
    const missed = aim.kind === 'login_mfa' ? await this.chargeTicket(aim.ticketKey, by) : undefined;
    const holder = await this.verifyResponse(id, aim, response);
    if (!holder) await missed?.();
    const account = holder && (await this.accounts.find(holder.id));
    if (!account || isDeletedOrScheduled(account)) throw failed();
    const { isBackupEligible } = holder;
    return this.end(id, runner, { isCancelled: false, isBackupEligible }, aim.kind === 'login' ? holder : undefined);
  }

  async cancel(id: string, origin: string | undefined) {
    const { runner } = await this.requireOpen(id, origin);
    return this.end(id, runner, { isCancelled: true });
  }

  /** Returns the owner of the passkey, with the epochs from before the verification. */
  private async verifyResponse(id: string, aim: CeremonyPurpose, response: object): Promise<PasskeyHolder | null> {
    const challenge = claimedChallengeOf(response);
    if (challenge === null) return null;
    const [subject, assertion] = [hexDigest(id), { challenge, response }];
    return aim.kind === 'login'
      ? this.webauthn.discover(subject, assertion, 'webauthn-bridge')
      : this.webauthn.prove(aim.accountId, 'webauthn-bridge', subject, assertion);
  }

  /** Counts an attempt at the second factor. Call the returned function if the assertion is wrong. */
  private async chargeTicket(key: string, origin: Origin): Promise<() => Promise<void>> {
    const ticket = await this.tickets.find(key);
    if (!ticket) throw failed();
    const failedOnce = await this.tickets.charge(ticket, 'ticket');
    return async () => {
      await this.tickets.recordFailure(this.database.manager, ticket, { method: 'passkey', origin });
      await failedOnce();
    };
  }

  /** Ends a ceremony. A ceremony without an account is bound to the owner of the passkey. */
  private async end(id: string, runner: Runner, result: Omit<Outcome, 'completionDigest'>, holder?: StoredEpochs) {
    const code = mintToken();
    const outcome: Outcome = { completionDigest: hexDigest(code), ...result };
    const step = [{ step: 'open' }, { step: 'ended', ...outcome }] as const;
    const isFirst = await this.secrets.change(SECRET_PURPOSE, id, step, holder ? { owner: holder } : {});
    if (!isFirst) throw failed();
    const url = `${this.config.webAppUrl}/auth/passkey#completion_code=${code}&ceremony_id=${id}`;
    return runner === 'page' ? { return_url: url, completion_code: null } : { return_url: null, completion_code: code };
  }

  async redeem(
    id: string,
    input: RedeemBridgeInput,
    origin: Origin,
  ): Promise<CancelledCeremony | CompletedCeremony<TokenResponse>> {
    const {
      aim,
      isCancelled,
      isBackupEligible = true,
      seen,
    } = await this.requireEnded(id, input, ({ kind }) => kind !== 'sudo');
    if (isCancelled) return this.consumeCanceled(id);
    const session = await this.database.transaction(async (tx) => {
      await this.spend(tx, id, seen);
      const first = aim.kind === 'login_mfa' ? (await this.tickets.spend(tx, aim.ticketKey, origin)).first : [];
      const authentication = withSecondFactor(first, byPasskey({ isBackupEligible }));
      return this.issuance.issue(tx, requireSnapshot(seen), 'passkey_bridge', origin, {
        invalid: failed,
        authentication,
      });
    });
    if (aim.kind === 'login_mfa')
      await this.tickets.resetAttempts({ account: { id: aim.accountId }, key: aim.ticketKey });
    return { status: 'completed', ...session };
  }

  async redeemSudo(
    me: SessionIdentity,
    id: string,
    input: RedeemBridgeInput,
    origin: Origin,
  ): Promise<CancelledCeremony | CompletedCeremony<{ sudo_token: string }>> {
    const { isCancelled, seen } = await this.requireEnded(
      id,
      input,
      (aim) => aim.kind === 'sudo' && aim.accountId === me.account.id,
    );
    if (isCancelled) return this.consumeCanceled(id);
    const account = await this.database.transaction(async (tx) => {
      const held = await this.callerGuard.lockCaller(tx, me);
      await this.spend(tx, id, seen);
      await this.sudo.recordGrant(tx, held, 'passkey_bridge', origin);
      return held;
    });
    return { status: 'completed', sudo_token: await this.sudo.issue(account) };
  }

  /** A ceremony can be redeemed once. Locks the account first, in the same order as all operations. */
  private async spend(tx: Tx, id: string, seen: AccountSnapshot | null): Promise<void> {
    await this.accounts.lock(tx, requireSnapshot(seen).accountId);
    if (!(await this.secrets.consume(SECRET_PURPOSE, id, tx))) throw failed();
  }

  private async consumeCanceled(id: string): Promise<CancelledCeremony> {
    if (!(await this.secrets.consume(SECRET_PURPOSE, id))) throw failed();
    return { status: 'cancelled' };
  }

  private async find(id: string) {
    return (await this.secrets.peek(SECRET_PURPOSE, id))?.payload;
  }

  /** Only browsers must send an allowed `Origin` header. Native clients may omit it. */
  private async requireOpen(id: string, origin: string | undefined): Promise<OpenCeremony> {
    const ceremony = await this.find(id);
    if (ceremony?.step !== 'open') throw failed();
    const isAllowed =
      origin === undefined ? ceremony.runner === 'native' : this.config.webauthnOrigins.includes(origin);
    if (!isAllowed) throw new ApiError('INVALID_API_ORIGIN');
    return ceremony;
  }

  /**
   * Returns a completed ceremony of the right kind if the nonce and the completion code are right. Limits failed
   * attempts.
   */
  private async requireEnded(
    id: string,
    { nonce, completion_code: code }: RedeemBridgeInput,
    isKind: (aim: CeremonyPurpose) => boolean,
  ): Promise<WithSnapshot<EndedCeremony>> {
    const seen = await this.find(id);
    if (seen?.step !== 'ended' || !isKind(seen.aim)) throw failed();
    const issued = await this.secrets.chargeAttempt(SECRET_PURPOSE, id, MAX_REDEMPTION_ATTEMPTS);
    const ended = issued?.payload;
    if (
      !issued ||
      ended?.step !== 'ended' ||
      !isDigestOf(ended.nonceHash, nonce) ||
      !isDigestOf(ended.completionDigest, code)
    ) {
      throw failed();
    }
    return { ...ended, seen: issued.seen };
  }
}

/** @throws ApiError if the ceremony is not bound to an account */
function requireSnapshot(seen: AccountSnapshot | null): AccountSnapshot {
  if (!seen) throw failed();
  return seen;
}
