import { t, when } from './language.js';

/** How long a suspension lasts, and why, as its owner is told. `until`: `null` if it has no end. */
export const suspensionOf = (until: unknown, reason: unknown): string[] => [
  ...(typeof until === 'string' ? [t('events.until', { time: when(until) })] : []),
  ...(until === null ? [t('events.no_end')] : []),
  ...(typeof reason === 'string' && reason !== '' ? [t('events.public_reason', { reason })] : []),
];
