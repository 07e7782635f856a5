import type { SecurityEvent } from './kinds.js';

/** One text per plural category of the language. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

interface CodeTexts {
  readonly subject: string;
  readonly intro: string;
}
interface LinkTexts extends CodeTexts {
  readonly action: string;
  readonly closing: string;
}

/** All texts of messages in one language. `{name}` is a placeholder. */
export interface Words {
  readonly minutes: Plural;
  readonly hours: Plural;
  readonly days: Plural;
  readonly device: string;
  readonly unknownBrowser: string;
  readonly unknownSystem: string;
  readonly place: string;
  readonly unknownPlace: string;
  readonly fact: string;
  readonly labels: { readonly when: string; readonly device: string; readonly address: string } & Record<
    'until' | 'publicReason',
    string
  >;
  /** Shown as the end time if there is none. */
  readonly noEnd: string;
  /** Text above the plain URL, for mail clients that show no buttons. */
  readonly fallback: string;
  readonly reason: string;
  readonly links: { readonly support: string; readonly terms: string; readonly privacy: string };
  readonly codeClosing: string;
  readonly email_verification: LinkTexts;
  readonly password_reset: LinkTexts;
  readonly ip_authorization: LinkTexts & { readonly confirm: string };
  readonly email_change_original: CodeTexts;
  readonly email_change_new: CodeTexts;
  readonly password_change: CodeTexts;
  readonly backup_codes_challenge: CodeTexts;
  readonly email_change_revert: Omit<LinkTexts, 'closing'> & { readonly undo: string };
  readonly security_notice: { readonly subject: string; readonly lock: string; readonly action: string };
  readonly security_digest: { readonly intro: string };
  readonly events: Readonly<Record<SecurityEvent, string>>;
  readonly account_deletion_scheduled: CodeTexts & { readonly closing: string };
  readonly access_token_expiring: CodeTexts & { readonly closing: string };
  readonly registration_existing_account: CodeTexts & { readonly closing: string };
  readonly registration_approved: CodeTexts & { readonly action: string };
  readonly registration_rejected: CodeTexts;
  /** Why the recipient gets a message about a registration. */
  readonly registration: { readonly reason: string };
  readonly mail_test: CodeTexts & { readonly reason: string };
  readonly sms: { readonly phone_verification: string };
}
