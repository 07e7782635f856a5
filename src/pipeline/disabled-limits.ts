import type { Config } from '../core/config/config.js';

/** Names of the limits that are off although their default is on. */
export function disabledLimits({
  production,
  rateLimits,
  loginAllowances,
  registrationAllowances,
  abuse,
}: Config): string[] {
  const limits = {
    RATE_LIMITS: rateLimits,
    LOGIN_ALLOWANCES: loginAllowances || !production,
    REGISTRATION_ALLOWANCES: registrationAllowances || !production,
    ABUSE_BANS: abuse.bans,
  };
  return Object.entries(limits).flatMap(([name, isOn]) => (isOn ? [] : [name]));
}
