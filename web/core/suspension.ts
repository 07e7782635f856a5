import { formatDateTime, t } from './language.js';

/** The end and the reason of a suspension, for the account owner. `until`: `null` if it is permanent. */
export const suspensionOf = (until: unknown, reason: unknown): string[] => [
  ...(typeof until === 'string' ? [t('suspension.until', { time: formatDateTime(until) })] : []),
  ...(until === null ? [t('suspension.noEnd')] : []),
  ...(typeof reason === 'string' && reason !== '' ? [t('suspension.reason', { reason })] : []),
];
