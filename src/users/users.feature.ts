import { defineFeature } from '../policy/feature.js';
import { userMails } from './users.mails.js';
import { UsersModule } from './users.module.js';
import { DeletionSettings } from './users.settings.js';

/** What users change about their own accounts. */
export const users = defineFeature('users', {
  modules: [UsersModule],
  settings: [DeletionSettings],
  errors: {
    TWO_FA_ALREADY_ENABLED: [400, 'An authenticator app is already set up.'],
    TWO_FA_NOT_ENABLED: [400, 'No authenticator app is set up.'],
    TWO_FACTOR_REQUIRED: [400, 'The account has no second factor.'],
    SMS_VERIFICATION_UNAVAILABLE: [400, 'Text messages cannot be sent.'],
    INVALID_PHONE_NUMBER: [400, 'The phone number is invalid or not allowed.'],
    INVALID_PHONE_VERIFICATION_CODE: [400, 'The code is invalid.'],
    PHONE_ALREADY_USED: [400, 'The phone number is in use.'],
    PHONE_RATE_LIMIT_EXCEEDED: [429, 'Too many text messages were sent. Try again later.'],
  },
  fieldErrors: {
    TAG_ALREADY_TAKEN: 'The discriminator is taken.',
    EMAIL_MUST_BE_CHANGED_VIA_TOKEN: 'Use `email_token` to change the email address.',
    NEW_EMAIL_MUST_BE_DIFFERENT: 'The new email address is the current one.',
    NO_NEW_EMAIL_REQUESTED: 'No new email address was requested.',
    ORIGINAL_EMAIL_ALREADY_VERIFIED: 'The current email address is already verified.',
    ORIGINAL_EMAIL_MUST_BE_VERIFIED_FIRST: 'Verify the current email address first.',
    ORIGINAL_VERIFICATION_NOT_REQUIRED: 'The current email address does not need to be verified.',
    INVALID_EMAIL_TOKEN: 'The token is invalid.',
    EMAIL_TOKEN_EXPIRED: 'The token has expired.',
    VERIFICATION_CODE_NOT_ISSUED: 'No code was sent. Request a code first.',
    VERIFICATION_CODE_EXPIRED: 'The code has expired.',
    INVALID_VERIFICATION_CODE: 'The code is incorrect. Check it and try again.',
    INVALID_PROOF_TOKEN: 'The proof is invalid.',
    INVALID_OR_EXPIRED_TICKET: 'The ticket is invalid or expired.',
    TICKET_ALREADY_COMPLETED: 'The ticket was already used.',
    PHONE_NUMBER_INVALID_FORMAT: 'Use the E.164 format, for example +4930123456.',
  },
  buckets: {
    'user:settings:get': [40, 10],
    'user:settings:update': [20, 10],
    'user:update': [20, 60],
    'user:authorized_ips:forget': [10, 60],
    'user:security_events': [30, 60],
    'user:export': [3, 86_400],
    'user:account:disable': [5, 3600],
    'user:account:delete': [5, 3600],
    'phone:send_verification': [5, 60],
    'phone:verify_code': [10, 60],
    'user:email_change:start': [10, 60],
    'user:email_change:resend_original': [10, 60],
    'user:email_change:verify_original': [20, 60],
    'user:email_change:request_new': [10, 60],
    'user:email_change:resend_new': [10, 60],
    'user:email_change:verify_new': [20, 60],
    'user:email_change:apply': [20, 60],
    'user:email_change:bounced:request_new': [10, 60],
    'user:email_change:bounced:resend_new': [10, 60],
    'user:email_change:bounced:verify_new': [20, 60],
    'user:password_change:start': [10, 60],
    'user:password_change:resend': [10, 60],
    'user:password_change:verify': [20, 60],
    'user:password_change:complete': [10, 60],
    'user:mfa:totp:enable': [10, 60],
    'user:mfa:totp:disable': [10, 60],
    'user:mfa:backup_codes': [6, 60],
    'user:mfa:backup_codes_challenge:start': [6, 60],
    'user:mfa:backup_codes_challenge:resend': [6, 60],
    'user:mfa:backup_codes_challenge:verify': [20, 60],
    'user:mfa:backup_codes_challenge:regenerate': [6, 60],
  },
  secrets: {
    'email-change': 'account',
    'bounced-email-change': 'account',
    'email-token': 'account',
    'password-change': 'account',
    'backup-codes-challenge': 'account',
    'phone-code': 'account',
  },
  mails: userMails,
});

declare module '../core/merged.js' {
  interface Features {
    users: typeof users;
  }
}

declare module '../core/config/config.js' {
  interface Config extends DeletionSettings {}
}
