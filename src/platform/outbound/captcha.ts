import { Injectable } from '@nestjs/common';
import type { Challenge } from 'altcha-lib';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { Keyring } from '../../core/secrets.js';
import { Outbound } from './outbound.js';

export type CaptchaProvider = 'none' | CaptchaType;
type CaptchaType = 'altcha' | ExternalCaptchaType;
type ExternalCaptchaType = 'hcaptcha' | 'turnstile';

/**
 * Checks tokens of one type. Returns the value to mark as used if the provider explicitly confirms success, otherwise
 * `null`.
 */
interface TokenCheck {
  verify(token: string, clientAddress: string): Promise<string | null>;
}

const CHALLENGE_SECONDS = 300;
const COST = 1000;

/** Loaded on first use, because other providers do not need it. */
async function loadAltcha() {
  const [library, { deriveKey }] = await Promise.all([import('altcha-lib'), import('altcha-lib/algorithms/pbkdf2')]);
  return { ...library, deriveKey };
}

/** Proof of work that the service creates and verifies itself, with altcha-lib. */
class AltchaCheck implements TokenCheck {
  /** The first secret signs, all verify. */
  private readonly secrets: readonly string[];

  constructor(
    keyring: Keyring,
    private readonly clock: Clock,
  ) {
    this.secrets = keyring.keys('captcha').map(({ bytes }) => bytes.toString('hex'));
  }

  async challenge(): Promise<Challenge> {
    const { createChallenge, deriveKey } = await loadAltcha();
    return createChallenge({
      algorithm: 'PBKDF2/SHA-256',
      cost: COST,
      deriveKey,
      hmacSignatureSecret: String(this.secrets[0]),
      expiresAt: this.clock.seconds() + CHALLENGE_SECONDS,
    });
  }

  /**
   * Returns the challenge as the value to mark as used, not the token. A solution can be encoded in many ways, and a
   * challenge can have several solutions.
   */
  async verify(token: string): Promise<string | null> {
    const { challenge, solution } = JSON.parse(Buffer.from(token, 'base64').toString('utf8'));
    const { verifySolution, deriveKey } = await loadAltcha();
    for (const hmacSignatureSecret of this.secrets) {
      const result = await verifySolution({ challenge, solution, deriveKey, hmacSignatureSecret });
      if (result.verified === true) return String(challenge.signature);
    }
    return null;
  }
}

export const VERIFY_URLS: Readonly<Record<ExternalCaptchaType, string>> = {
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
};

interface ExternalCaptchaKeys {
  readonly siteKey: string | undefined;
  readonly secret: string;
}

/** Verifies tokens with hCaptcha or Turnstile, which use the same protocol. */
class ExternalCaptchaCheck implements TokenCheck {
  constructor(
    private readonly outbound: Outbound,
    private readonly url: string,
    private readonly externalCaptchaKeys: ExternalCaptchaKeys,
    private readonly hostnames: readonly string[],
  ) {}

  async verify(token: string, clientAddress: string): Promise<string | null> {
    const { siteKey, secret } = this.externalCaptchaKeys;
    const form = new URLSearchParams({ secret, response: token, remoteip: clientAddress });
    if (siteKey !== undefined) form.set('sitekey', siteKey);
    const { status, body } = await this.outbound.request({
      url: this.url,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
    if (status !== 200) return null;
    const verdict: unknown = JSON.parse(body.toString('utf8'));
    if (typeof verdict !== 'object' || verdict === null || !('success' in verdict)) return null;
    const isEarned =
      verdict.success === true && this.isAllowedHostname('hostname' in verdict ? verdict.hostname : undefined);
    return isEarned ? token : null;
  }

  /** Rejects a token that was solved on another site. */
  private isAllowedHostname(hostname: unknown): boolean {
    if (this.hostnames.length === 0) return true;
    return typeof hostname === 'string' && this.hostnames.includes(hostname.toLowerCase());
  }
}

/** Verifies CAPTCHA tokens (conventions.md section 8). The caller enforces single use. */
@Injectable()
export class CaptchaVerifier {
  private readonly checks = new Map<CaptchaType, TokenCheck>();
  private readonly altcha: AltchaCheck | undefined;

  constructor(
    private readonly config: Config,
    keyring: Keyring,
    clock: Clock,
    outbound: Outbound,
  ) {
    const { captcha } = config;
    if (captcha.provider === 'none') return;
    if (captcha.provider === 'altcha') {
      this.altcha = new AltchaCheck(keyring, clock);
      this.checks.set('altcha', this.altcha);
    }
    for (const type of ['hcaptcha', 'turnstile'] as const) {
      const { siteKey, secret } = captcha[type];
      if (secret === undefined) continue;
      const url = captcha.verifyUrl ?? VERIFY_URLS[type];
      this.checks.set(type, new ExternalCaptchaCheck(outbound, url, { siteKey, secret }, captcha.hostnames));
    }
  }

  /** The configured provider. With `none`, nothing is checked. */
  get provider(): CaptchaProvider {
    return this.config.captcha.provider;
  }

  /** The public key with which a page shows the provider's widget; `null` for other providers. */
  getSiteKey(type: ExternalCaptchaType): string | null {
    return this.provider === type ? (this.config.captcha[type].siteKey ?? null) : null;
  }

  /** Returns a challenge for the client to solve; `null` if the provider's widget creates it. */
  async challenge(): Promise<Challenge | null> {
    return this.altcha?.challenge() ?? null;
  }

  /**
   * Verifies a token and returns the value to mark as used. Returns `null` if the token is invalid or unreadable, its
   * type is not configured, or the provider does not respond.
   */
  async verify(token: string, type: string | undefined, clientAddress: string): Promise<string | null> {
    const named = type === 'altcha' || type === 'hcaptcha' || type === 'turnstile' ? type : this.provider;
    const check = named === 'none' ? undefined : this.checks.get(named);
    try {
      return check ? await check.verify(token, clientAddress) : null;
    } catch {
      return null;
    }
  }
}
