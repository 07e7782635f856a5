/** What each kind of mail carries besides its words: a token or a code by name (auth.md section 13). */
export interface MailMetadata {
  email_verification: { token: string };
  password_reset: { token: string };
  ip_authorization: { token: string; ip: string; location: string };
  email_change_original: { code: string };
  email_change_new: { code: string };
  password_change: { code: string };
  backup_codes_challenge: { code: string };
  email_change_revert: { token: string; new_email: string };
  security_notice: { event: SecurityEvent };
  account_deletion_scheduled: { deadline: string };
  registration_existing_account: Record<string, never>;
}

export type MailType = keyof MailMetadata;

/** What a security notice reports, in words for the owner of the account. */
const EVENTS = {
  password_changed: 'The password of your account was changed.',
  password_reset: 'The password of your account was reset by a link sent to this address. Every session was ended.',
  email_reverted: 'A change of your e-mail address was undone. Every session and every second factor was removed.',
  email_changed: 'The e-mail address of your account was changed.',
  totp_enabled: 'An authenticator app was set up for your account.',
  totp_disabled: 'The authenticator app was removed from your account.',
  passkey_added: 'A passkey was added to your account.',
  passkey_removed: 'A passkey was removed from your account.',
  second_factor_enabled: 'Passkeys are now asked for when you sign in with your password.',
  second_factor_disabled: 'Passkeys are no longer asked for when you sign in with your password.',
  backup_codes_regenerated: 'New backup codes were made for your account. The former ones no longer work.',
  mfa_disabled: 'An administrator removed the authenticator app and the backup codes from your account.',
  account_suspended: 'An administrator suspended your account.',
  account_reinstated: 'The suspension of your account was lifted.',
  suspicious_activity: 'Your account was locked because of suspicious activity. Reset your password to use it again.',
  sso_linked: 'Your account was linked to single sign-on: the owner of this address signed in with it.',
  sso_taken_over:
    'The owner of this address signed in with single sign-on. The address had never been verified, so everything that could sign in to the account before was removed.',
  session_handed_over: 'A new device was signed in to your account. A device that was signed in already let it in.',
  sessions_ended: 'An administrator ended the sessions of your account.',
} as const satisfies Record<string, string>;

export type SecurityEvent = keyof typeof EVENTS;

/** The facts that words are made of. */
export interface Occasion<M = MailMetadata[MailType]> {
  readonly metadata: M;
  readonly product: string;
  /** ISO 8601. */
  readonly at: string;
  /** The device that asked, already harmless as text. */
  readonly client: string | undefined;
  /** An address of the web application with a token in its fragment, which no server and no log ever sees. */
  link(path: string, token: string): string;
}

export interface Content {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly action?: { readonly label: string; readonly url: string };
  readonly code?: string;
  readonly closing?: string;
}

const IGNORE = 'If you did not ask for this, ignore this message.';
const ALARM = 'If this was not you, reset your password at once.';

const codeFor =
  (subject: string, purpose: string) =>
  ({ metadata, client }: Occasion<{ code: string }>): Content => ({
    subject,
    paragraphs: [`Enter this code to ${purpose}. It works for 10 minutes.`, ...(client ? [`Asked by: ${client}`] : [])],
    code: metadata.code,
    closing: 'Nobody else needs this code. If you did not ask for it, ignore this message.',
  });

/** The words of every kind of mail. */
export const CONTENTS: { readonly [T in MailType]: (occasion: Occasion<MailMetadata[T]>) => Content } = {
  email_verification: ({ metadata, product, link }) => ({
    subject: `Confirm your e-mail address for ${product}`,
    paragraphs: ['Confirm that this address is yours. The link works for 24 hours.'],
    action: { label: 'Confirm address', url: link('/auth/verify', metadata.token) },
    closing: IGNORE,
  }),
  password_reset: ({ metadata, product, link }) => ({
    subject: `Reset your ${product} password`,
    paragraphs: ['Somebody asked to reset the password of your account. The link works once, for one hour.'],
    action: { label: 'Choose a new password', url: link('/auth/reset', metadata.token) },
    closing: IGNORE,
  }),
  ip_authorization: ({ metadata, product, client, link }) => ({
    subject: `Confirm a new sign-in to ${product}`,
    paragraphs: [
      'Somebody entered your password from an address that your account has not used before. The sign-in waits for you.',
      `Address: ${metadata.ip} (${metadata.location})`,
      ...(client ? [`Device: ${client}`] : []),
      'If it was you, confirm it within 15 minutes.',
    ],
    action: { label: 'Confirm sign-in', url: link('/auth/authorize-ip', metadata.token) },
    closing: ALARM,
  }),
  email_change_original: codeFor('Confirm the change of your e-mail address', 'confirm the change of your address'),
  email_change_new: codeFor('Confirm your new e-mail address', 'confirm that this address is yours'),
  password_change: codeFor('Confirm the change of your password', 'change your password'),
  backup_codes_challenge: codeFor('Confirm access to your backup codes', 'see the state of your backup codes'),
  email_change_revert: ({ metadata, product, link }) => ({
    subject: `Your ${product} address was changed`,
    paragraphs: [
      `Your account now uses ${metadata.new_email}.`,
      'If this was not you, undo it within 24 hours. That ends every session and removes every second factor.',
    ],
    action: { label: 'Undo the change', url: link('/auth/email-revert', metadata.token) },
  }),
  security_notice: ({ metadata, product, at, client }) => ({
    subject: `Security notice from ${product}`,
    paragraphs: [EVENTS[metadata.event], `When: ${at}`, ...(client ? [`Device: ${client}`] : [])],
    closing: 'If this was not you, secure your account.',
  }),
  account_deletion_scheduled: ({ metadata, product }) => ({
    subject: `Your ${product} account will be deleted`,
    paragraphs: [`Your account will be deleted on ${metadata.deadline}.`],
    closing: 'If you asked for this yourself, signing in before that time cancels it.',
  }),
  registration_existing_account: ({ product }) => ({
    subject: `You already have a ${product} account`,
    paragraphs: [
      'Somebody tried to register with this address, which already belongs to an account. Nothing was changed.',
      'If it was you, sign in, or reset your password if you forgot it.',
    ],
  }),
};
