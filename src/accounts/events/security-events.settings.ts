import { settings } from '../../core/config/declared.js';

/** Security events. */
export class SecurityEventSettings extends settings('Sign-in', (read) => ({
  securityEventDays: read.int(
    'SECURITY_EVENT_DAYS',
    'Days for which users see the security events of their accounts',
    180,
    [1, 3650],
  ),
})) {}
