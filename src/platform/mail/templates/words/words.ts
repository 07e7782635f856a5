import type { SecurityEvent } from './kinds.js';

/** One text per plural category of the language. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

interface Code {
  readonly subject: string;
  readonly intro: string;
}
interface Linked extends Code {
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
  readonly email_verification: Linked;
  readonly password_reset: Linked;
  readonly ip_authorization: Linked & { readonly confirm: string };
  readonly email_change_original: Code;
  readonly email_change_new: Code;
  readonly password_change: Code;
  readonly backup_codes_challenge: Code;
  readonly email_change_revert: Omit<Linked, 'closing'> & { readonly undo: string };
  readonly security_notice: { readonly subject: string; readonly lock: string; readonly action: string };
  readonly security_digest: { readonly intro: string };
  readonly events: Readonly<Record<SecurityEvent, string>>;
  readonly account_deletion_scheduled: Code & { readonly closing: string };
  readonly registration_existing_account: Code & { readonly closing: string };
  readonly registration_approved: Code & { readonly action: string };
  readonly registration_rejected: Code;
  /** Why the recipient gets a message about a registration. */
  readonly registration: { readonly reason: string };
  readonly mail_test: Code & { readonly reason: string };
  readonly sms: { readonly phone_verification: string };
}
