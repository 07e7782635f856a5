import { GATEWAY_DEFAULTS, type GatewayNumbers } from './gateway-numbers.js';
import type { SettingsReader } from './reader.js';
import type { ServiceSettings } from './service.settings.js';

function rateLimitOverrides(read: SettingsReader): ReadonlyMap<string, { limit: number; seconds: number }> {
  const text = read.text('RATE_LIMIT_OVERRIDES', 'JSON object of bucket names to "N/seconds"');
  const overrides = new Map<string, { limit: number; seconds: number }>();
  if (text === undefined) return overrides;
  try {
    for (const [bucket, value] of Object.entries(JSON.parse(text) as Record<string, unknown>)) {
      const match = /^([1-9]\d{0,6})\/([1-9]\d{0,6})$/.exec(String(value));
      if (!match) throw new Error(bucket);
      overrides.set(bucket, { limit: Number(match[1]), seconds: Number(match[2]) });
    }
  } catch {
    read.fault('RATE_LIMIT_OVERRIDES', 'must be a JSON object of bucket names to "N/seconds"');
  }
  return overrides;
}

function gatewayNumbers(read: SettingsReader): GatewayNumbers {
  const about = 'JSON object of numbers of the gateway, such as {"sockets_per_address": 1000}';
  const text = read.text('GATEWAY_NUMBERS', about);
  if (text === undefined) return GATEWAY_DEFAULTS;
  try {
    const given = Object.entries(JSON.parse(text) as Record<string, unknown>);
    for (const [name, value] of given) {
      if (!(name in GATEWAY_DEFAULTS) || !Number.isSafeInteger(value) || Number(value) < 1) throw new Error(name);
    }
    return { ...GATEWAY_DEFAULTS, ...Object.fromEntries(given) };
  } catch {
    read.fault('GATEWAY_NUMBERS', 'must be a JSON object of known names to whole numbers from 1');
    return GATEWAY_DEFAULTS;
  }
}

/** Settings of webhooks and their messages. */
export function webhookSettings(read: SettingsReader) {
  read.section('Webhooks');
  return {
    webhooksPerAccount: read.int('WEBHOOK_MAX_PER_ACCOUNT', 'Webhooks per account', 50, [1, 10000]),
    webhookRetentionDays: read.int('WEBHOOK_MESSAGE_RETENTION_DAYS', 'How long messages are kept', 30, [1, 3650]),
  };
}

const COUNT_RANGE: readonly [number, number] = [1, 1000000];

/** Rate limits, automatic bans and capacity limits. */
export function limitSettings(read: SettingsReader, { production }: ServiceSettings) {
  read.section('Limits; off is for development, tests and load runs');
  return {
    rateLimits: read.onOff('RATE_LIMITS', 'Global and route buckets', true),
    rateLimitOverrides: rateLimitOverrides(read),
    gateway: gatewayNumbers(read),
    loginAllowances: read.onOff(
      'LOGIN_ALLOWANCES',
      'Limit login attempts per IP address and email address; unset: on in production, otherwise off',
      production,
      { shown: '' },
    ),
    registrationAllowances: read.onOff(
      'REGISTRATION_ALLOWANCES',
      'Limit registrations per IP address, subnet and email address; unset: on in production, otherwise off',
      production,
      { shown: '' },
    ),
    abuse: {
      bans: read.onOff('ABUSE_BANS', 'Automatic bans of abusive addresses', true),
      exempt: read.cidrs('IP_BAN_EXEMPT', 'Addresses or CIDR ranges that are never banned'),
      distinct: read.int(
        'IP_BAN_DISTINCT',
        'Rejected credentials of one address in 5 minutes that ban it at once',
        20,
        COUNT_RANGE,
      ),
      score: read.int('IP_BAN_SCORE', 'Score of one address in 5 minutes that counts as a strike', 60, COUNT_RANGE),
      strikes: read.int('IP_BAN_STRIKES', 'Strikes within an hour that ban, 1-12', 3, [1, 12]),
      seconds: read.int('IP_BAN_SECONDS', 'Length of an automatic ban', 86400, [1, 31536000]),
    },
    maxInFlight: read.int('MAX_IN_FLIGHT', 'Requests at once before load is shed', 512, COUNT_RANGE),
    transfers: {
      bodies: read.int('MAX_BODIES', 'Requests at once that wait for the bodies of their clients', 4096, COUNT_RANGE),
      bodiesPerAddress: read.int('MAX_BODIES_PER_ADDRESS', 'Of one address', 64, COUNT_RANGE),
      bodiesPerAccount: read.int('MAX_BODIES_PER_ACCOUNT', 'Of one account', 32, COUNT_RANGE),
      downloads: read.int(
        'MAX_DOWNLOADS',
        'Connections at once whose clients have not taken their answers, downloads above all',
        4096,
        COUNT_RANGE,
      ),
      downloadsPerAddress: read.int('MAX_DOWNLOADS_PER_ADDRESS', 'Of one address', 128, COUNT_RANGE),
    },
    maxLoopDelayMs: read.int(
      'MAX_LOOP_DELAY_MS',
      'Event-loop delay in ms above which load is shed; 0 is never',
      1000,
      [0, 600000],
    ),
  };
}

type Limits = ReturnType<typeof limitSettings> & Pick<ServiceSettings, 'production'>;

/** Names of the limits that are off although their default is on. */
export function disabledLimits({
  production,
  rateLimits,
  loginAllowances,
  registrationAllowances,
  abuse,
}: Limits): string[] {
  const limits = {
    RATE_LIMITS: rateLimits,
    LOGIN_ALLOWANCES: loginAllowances || !production,
    REGISTRATION_ALLOWANCES: registrationAllowances || !production,
    ABUSE_BANS: abuse.bans,
  };
  return Object.entries(limits).flatMap(([name, isOn]) => (isOn ? [] : [name]));
}
