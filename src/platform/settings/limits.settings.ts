import { settings } from '../../core/config/declared.js';
import type { SettingsReader } from '../../core/config/reader.js';

/** The section of limits of all features in `.env.example`. */
export const LIMITS_SECTION = 'Limits; off is for development, tests and load runs';

function rateLimitOverrides(read: SettingsReader): ReadonlyMap<string, { limit: number; seconds: number }> {
  const text = read.text(
    'RATE_LIMIT_OVERRIDES',
    'Rate limits that differ from the defaults, as a JSON object of bucket names to "requests/seconds"',
  );
  const overrides = new Map<string, { limit: number; seconds: number }>();
  if (text === undefined) return overrides;
  try {
    for (const [bucket, value] of Object.entries(JSON.parse(text) as Record<string, unknown>)) {
      const match = /^([1-9]\d{0,6})\/([1-9]\d{0,6})$/.exec(String(value));
      if (!match) throw new Error(bucket);
      overrides.set(bucket, { limit: Number(match[1]), seconds: Number(match[2]) });
    }
  } catch {
    read.fault('RATE_LIMIT_OVERRIDES', 'must be a JSON object that maps bucket names to "N/seconds"');
  }
  return overrides;
}

/** Rate limits. */
export class RateLimitSettings extends settings(LIMITS_SECTION, (read) => ({
  rateLimits: read.onOff('RATE_LIMITS', 'Turn on the global rate limit and the rate limits of routes', true),
  rateLimitOverrides: rateLimitOverrides(read),
})) {}
