import { MAX_TOKEN_LENGTH } from '../../auth/secrets/captchas.service.js';
import { countCodePoints, isOneLine, isText } from '../../core/text/text.js';
import { AnyObject, Bool, type Fault, field, Int, OneOf, Snowflake, Text } from '../../http/input.js';

const URL_LENGTH = 2048;

/** Whether a URL uses `https` and has a host, no user info and no fragment. The URL is stored as it was sent. */
export function isSecureUrl(value: string): boolean {
  if (!URL.canParse(value) || value !== value.trim()) return false;
  const { protocol, hostname, username, password } = new URL(value);
  return protocol === 'https:' && hostname !== '' && username === '' && password === '' && !value.includes('#');
}

export function SecureUrl(): PropertyDecorator {
  const description = { type: 'string', format: 'uri', maxLength: URL_LENGTH };
  return field({ optional: true, nullable: true, bound: 2 * URL_LENGTH, description }, (value): Fault | undefined => {
    if (!isText(value) || value === '') return 'INVALID_FORMAT';
    if (countCodePoints(value) > URL_LENGTH) return 'CONTENT_EXCEEDS_MAX_LENGTH';
    return isSecureUrl(value) ? undefined : 'INVALID_URL_FORMAT';
  });
}

export class RegistrationSection {
  @OneOf(['open', 'approval', 'closed'], { optional: true }) mode?: 'open' | 'approval' | 'closed';
  @Bool({ optional: true }) hide_existing_accounts?: boolean;
  @Int({ min: 0, max: 255, optional: true }) initial_suspicious_flags?: number;
}

export class BrandingSection {
  @Text({ min: 1, max: 64, trim: true, check: isOneLine, optional: true }) product_name?: string;
}

export class LegalSection {
  @SecureUrl() terms_url?: string | null;
  @SecureUrl() privacy_url?: string | null;
}

export class PublicSections {
  @AnyObject({ optional: true }) branding?: object;
  @AnyObject({ optional: true }) legal?: object;
}

export class InstanceConfigInput {
  @AnyObject({ optional: true }) sso?: object;
  @AnyObject({ optional: true }) registration?: object;
  @AnyObject({ optional: true }) app_public?: object;
}

export class PendingQuery {
  @Int({ min: 1, max: 200, text: true, optional: true }) limit?: number;
  @Int({ min: 0, max: 100_000, text: true, optional: true }) offset?: number;
}

export class PendingPath {
  @Snowflake() user_id: string;
}

export class DecideRegistrationInput {
  @OneOf(['approved', 'rejected']) status: 'approved' | 'rejected';
}

export class CaptchaTestInput {
  @Text({ min: 1, max: MAX_TOKEN_LENGTH }) token: string;
  @OneOf(['altcha', 'hcaptcha', 'turnstile'], { optional: true }) type?: 'altcha' | 'hcaptcha' | 'turnstile';
}
