/** Details that administrators give to the account owner. `until` is `null` if there is no end. The account is deleted after `deadline`. */
export interface NoticeDetails {
  readonly until?: string | null;
  readonly public_reason?: string;
  readonly deadline?: string;
}

/** Events that a security notice reports. */
export const SECURITY_EVENTS = [
  ...['password_changed', 'password_reset', 'email_reverted', 'email_changed', 'totp_enabled', 'totp_disabled'],
  ...['passkey_added', 'passkey_removed', 'second_factor_enabled', 'second_factor_disabled'],
  ...['backup_codes_regenerated', 'mfa_disabled', 'account_suspended', 'account_reinstated', 'suspicious_activity'],
  ...['sso_linked', 'sso_taken_over', 'identity_linked', 'identity_unlinked', 'session_handed_over'],
  ...['locked_down', 'credential_leaked', 'data_exported', 'account_deletion_scheduled', 'deletion_canceled'],
  ...['account_disabled', 'account_reactivated', 'suspicious_activity_ended'],
  ...['sso_identity_set', 'sso_identity_removed', 'permissions_changed'],
  ...['access_token_created', 'access_token_deleted'],
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
