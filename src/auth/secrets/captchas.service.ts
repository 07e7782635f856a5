import { Injectable } from '@nestjs/common';
import { ApiError } from '../../core/errors.js';
import { CaptchaVerifier } from '../../platform/outbound/captcha.js';
import type { Call } from '../../policy/call.js';
import { OneTimeSecrets } from './one-time-secrets.service.js';

const SPENT_TOKEN_SECONDS = 600;
export const MAX_TOKEN_LENGTH = 8192;

/** Captcha tokens, which can be used once (conventions.md section 8). */
@Injectable()
export class Captchas {
  constructor(
    private readonly verifier: CaptchaVerifier,
    private readonly secrets: OneTimeSecrets,
  ) {}

  /** @throws ApiError CAPTCHA_REQUIRED, INVALID_CAPTCHA */
  async demand({ req, identity, address }: Call): Promise<void> {
    if (this.verifier.provider === 'none' || identity?.account.traits.includes('captcha_exempt')) return;
    const { 'x-captcha-token': token, 'x-captcha-type': type } = req.headers as Record<string, string | undefined>;
    if (!token) throw new ApiError('CAPTCHA_REQUIRED');
    if (token.length > MAX_TOKEN_LENGTH || !(await this.spend(token, type, address)))
      throw new ApiError('INVALID_CAPTCHA');
  }

  /** Whether a token is valid and was not used before. */
  async spend(token: string, type: string | undefined, address: string): Promise<boolean> {
    const earned = await this.verifier.verify(token, type, address);
    return earned !== null && (await this.secrets.claim('captcha-spent', earned, SPENT_TOKEN_SECONDS));
  }
}
