import { assertLocalizedText, type LocalizedText } from '../../core/text/localized-text.js';
import { SECURITY_EVENTS, type SecurityEvent } from '../../platform/mail/templates/words/kinds.js';

/** Events that are recorded but not sent as a security notice. */
const UNMAILED_EVENTS = [
  ...['signed_in', 'sign_in_refused', 'ip_authorized', 'session_ended', 'sudo_granted'],
  ...['application_authorized', 'application_removed', 'bot_token_reset', 'client_secret_reset', 'webhook_rotated'],
  ...['admin_key_created', 'admin_key_deleted', 'registration_approved', 'registration_rejected', 'email_bounced'],
  'requirements_changed',
] as const;

/** Types of an extension: merge `{ note_shared: true }` into this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: an empty interface is what declaration merging needs
export interface ExtraSecurityEvents {}

export type SecurityEventType = (typeof UNMAILED_EVENTS)[number] | SecurityEvent | (keyof ExtraSecurityEvents & string);

const registeredTypes = new Set<string>([...UNMAILED_EVENTS, ...SECURITY_EVENTS]);
const eventTexts = new Map<string, LocalizedText>();

export const securityEventTypes = (): readonly string[] => [...registeredTypes];

export const isSecurityEvent = (type: string): boolean => registeredTypes.has(type);

/** Returns the texts of an extension's event type. The web pages contain those of the built-in types. */
export const getEventTexts = (type: string): LocalizedText | undefined => eventTexts.get(type);

/**
 * Registers a security event type of an extension.
 * @param type a name such as `note_shared`
 * @param said texts by language, such as "A note was shared with everyone."; English is the fallback
 * @throws Error if the name is invalid or taken
 */
export function registerSecurityEvent(type: string, said: LocalizedText): void {
  if (registeredTypes.has(type) || !/^[a-z][a-z0-9_]{0,63}$/.test(type)) {
    throw new Error(`the security event ${type} cannot be added`);
  }
  assertLocalizedText(`the security event ${type}`, said);
  registeredTypes.add(type);
  eventTexts.set(type, Object.freeze({ ...said }));
}
