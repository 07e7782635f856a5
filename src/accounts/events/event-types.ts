import type { NameOf } from '../../core/names.js';
import type { LifecycleType } from '../../policy/lifecycle.js';

/** Events that are recorded but not sent as a security notice. */
export const UNMAILED_EVENTS = [
  ...(['signed_in', 'sign_in_refused', 'ip_authorized', 'session_ended', 'sudo_granted'] as const),
  ...(['application_authorized', 'application_removed', 'bot_token_reset', 'client_secret_reset'] as const),
  ...(['bot_token_created', 'bot_token_deleted'] as const),
  ...(['webhook_rotated', 'admin_key_created', 'admin_key_deleted', 'registration_approved'] as const),
  ...(['registration_rejected', 'email_bounced', 'requirements_changed'] as const),
] as const;

/** The security events that record lifecycle events. A cause can name another one. */
export const RECORDED_AS = {
  signedIn: 'signed_in',
  sessionEnded: 'session_ended',
  emailChanged: 'email_changed',
  disabled: 'account_disabled',
  enabled: 'account_reactivated',
  banned: 'account_suspended',
  deletionScheduled: 'account_deletion_scheduled',
  deletionCanceled: 'deletion_canceled',
  applicationAuthorized: 'application_authorized',
  applicationDeauthorized: 'application_removed',
} as const satisfies Partial<Record<LifecycleType, string>>;

export type RecordedType = keyof typeof RECORDED_AS;

/** The type of a security event that some feature declares. */
export type SecurityEventType = NameOf<'securityEvents'>;
