/** Facts of each kind of email, such as a token or a code by name (auth.md section 13). */
export interface MailMetadata {
  email_verification: { token: string };
  password_reset: { token: string };
  ip_authorization: { token: string; ip: string; location: string };
  email_change_original: { code: string };
  email_change_new: { code: string };
  password_change: { code: string };
  backup_codes_challenge: { code: string };
  email_change_revert: { token: string; new_email: string };
  /** `token`: for the link that locks the account down. */
  security_notice: { event: SecurityEvent; token?: string } & NoticeDetails;
  /** Combines several notices when there are too many to send one by one. */
  security_digest: { events: readonly SecurityEvent[]; token: string };
  account_deletion_scheduled: { deadline: string; public_reason?: string };
  registration_approved: Record<string, never>;
  registration_rejected: Record<string, never>;
  registration_existing_account: Record<string, never>;
  /** Administrators send it to themselves to check email delivery. */
  mail_test: Record<string, never>;
}

/** Details that administrators give to the account owner. `until` is `null` if there is no end. */
export interface NoticeDetails {
  readonly until?: string | null;
  readonly public_reason?: string;
}

export type MailType = keyof MailMetadata;

/** Events that a security notice reports. */
export const SECURITY_EVENTS = [
  ...['password_changed', 'password_reset', 'email_reverted', 'email_changed', 'totp_enabled', 'totp_disabled'],
  ...['passkey_added', 'passkey_removed', 'second_factor_enabled', 'second_factor_disabled'],
  ...['backup_codes_regenerated', 'mfa_disabled', 'account_suspended', 'account_reinstated', 'suspicious_activity'],
  ...['sso_linked', 'sso_taken_over', 'session_handed_over'],
  ...['locked_down', 'credential_leaked', 'data_exported', 'account_deletion_scheduled', 'deletion_canceled'],
  ...['account_disabled', 'account_reactivated', 'suspicious_activity_ended'],
  ...['sso_identity_set', 'sso_identity_removed', 'permissions_changed'],
] as const;

export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

/** Events caused by administrators: the "was this you?" link is omitted. */
export const ADMINISTRATOR_EVENTS: ReadonlySet<SecurityEvent> = new Set<SecurityEvent>([
  ...(['mfa_disabled', 'account_suspended', 'account_reinstated'] as const),
  ...(['suspicious_activity', 'suspicious_activity_ended', 'sso_identity_set', 'sso_identity_removed'] as const),
  'permissions_changed',
]);

/** Browser and operating system from a fixed list; `null` if not on it. */
export interface Device {
  readonly browser: string | null;
  readonly system: string | null;
}

/** Location of an IP address if it was not looked up. */
export const UNKNOWN_LOCATION = 'Unknown location';
