import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { addressKey, isPublicAddress } from '../core/address.js';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { Keyring } from '../core/secrets.js';
import { SharedStore } from '../platform/store/shared-store.js';
import { IpBans } from './ip-bans.service.js';

const SCORE_WINDOW_SECONDS = 300;
const STRIKE_MEMORY_SECONDS = 3600;
/** Weights of responses to requests that resolved no account (conventions.md 9.1). */
const WEIGHTS: Readonly<Record<number, number>> = { 429: 3, 401: 0.75, 403: 0.5 };
const OTHER_4XX_WEIGHT = 0.25;
export const REJECTED_CREDENTIAL_WEIGHT = 1;

/** The weight of an error response to an unidentified caller. */
export const weightOf = (status: number): number =>
  status < 400 || status >= 500 ? 0 : (WEIGHTS[status] ?? OTHER_4XX_WEIGHT);

/** How one event counts against an IP address. */
export interface AbuseSignal {
  readonly weight: number;
  /** A failed guess: a credential that did not resolve, or a client with a wrong secret. */
  readonly rejected?: string | undefined;
}

/** Why an IP address has too many failures. */
export interface AbuseVerdict {
  readonly key: string;
  /** The five minutes of the failures. */
  readonly window: number;
  /** Seconds until the window ends. */
  readonly left: number;
  readonly signals: {
    readonly trigger: 'rejected_credentials' | 'score';
    readonly score: number;
    readonly rejected_credentials: number;
    readonly windows: number;
  };
}

/** Counts failures per IP address in windows of five minutes (conventions.md 9). */
@Injectable()
export class AbuseScores {
  constructor(
    private readonly store: SharedStore,
    private readonly bans: IpBans,
    private readonly keyring: Keyring,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Whether an IP address can be banned: only public ones that are not exempt. */
  canBeBanned(address: string): boolean {
    return isPublicAddress(address) && !this.bans.isExempt(address);
  }

  /**
   * Counts a failure. Returns a verdict if the IP address has too many.
   * @param scope failures of different scopes are counted separately
   */
  async add(
    address: string,
    { weight, rejected }: AbuseSignal,
    seconds = this.clock.seconds(),
    scope = '',
  ): Promise<AbuseVerdict | null> {
    const { abuse } = this.config;
    const key = `${scope}${addressKey(address)}`;
    const window = Math.floor(seconds / SCORE_WINDOW_SECONDS);
    const left = SCORE_WINDOW_SECONDS - (seconds % SCORE_WINDOW_SECONDS);
    const before = await this.store.add(`abuse/score ${key}/${window}`, 0, left);
    const score = await this.store.add(`abuse/score ${key}/${window}`, weight, left);
    const isStrike = before < abuse.score && score >= abuse.score;
    const windows = isStrike
      ? await this.store.distinct(`abuse/strikes ${key}`, String(window), STRIKE_MEMORY_SECONDS)
      : 0;
    const rejectedCredentials = rejected
      ? await this.store.distinct(`abuse/rejected ${key}/${window}`, this.digest(rejected), left)
      : 0;
    if (!abuse.bans || (windows < abuse.strikes && rejectedCredentials < abuse.distinct)) return null;
    const trigger = rejectedCredentials >= abuse.distinct ? 'rejected_credentials' : 'score';
    return { key, window, left, signals: { trigger, score, rejected_credentials: rejectedCredentials, windows } };
  }

  private digest(credential: string): string {
    return createHmac('sha256', this.keyring.signing('abuse').bytes).update(credential).digest('base64url');
  }
}
