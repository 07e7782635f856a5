import type { NameOf } from '../../core/merged.js';

/** Events that are recorded but not sent as a security notice. */
export const UNMAILED_EVENTS = [
  ...(['signed_in', 'sign_in_refused', 'ip_authorized', 'session_ended', 'sudo_granted'] as const),
  ...(['application_authorized', 'application_removed', 'bot_token_reset', 'client_secret_reset'] as const),
  ...(['webhook_rotated', 'admin_key_created', 'admin_key_deleted', 'registration_approved'] as const),
  ...(['registration_rejected', 'email_bounced', 'requirements_changed'] as const),
] as const;

export type SecurityEventType = NameOf<'securityEvents'>;
