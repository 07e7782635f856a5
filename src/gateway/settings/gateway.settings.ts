import { settings } from '../../core/config/declared.js';
import type { SettingsReader } from '../../core/config/reader.js';
import { LIMITS_SECTION } from '../../platform/settings/limits.settings.js';

/** Every number of the real-time gateway (contract/gateway.md). Units are milliseconds, bytes or counts. */
export const GATEWAY_DEFAULTS = {
  heartbeat_interval_ms: 41_250,
  heartbeat_tick_ms: 13_750,
  heartbeat_prompt_ms: 37_125,
  heartbeat_timeout_ms: 45_000,
  identify_deadline_ms: 60_000,
  /** How long a peer may take to answer a close frame before the socket is destroyed. */
  close_ms: 10_000,
  message_bytes: 4096,
  waiting_messages: 32,
  unsent_bytes: 8 * 1024 * 1024,
  unsent_bytes_per_account: 32 * 1024 * 1024,
  unsent_bytes_per_process: 256 * 1024 * 1024,
  replay_events: 4096,
  replay_bytes: 16 * 1024 * 1024,
  replay_event_bytes: 2 * 1024 * 1024,
  retention_ms: 60_000,
  renew_ms: 5000,
  window_ms: 60_000,
  sockets_per_address: 256,
  /** The part of `sockets_per_address` that pages of other origins may use. */
  foreign_sockets_per_address: 8,
  payloads_per_socket: 600,
  payloads_per_session: 600,
  payloads_per_address: 6000,
  attempts_per_address: 300,
  sessions_per_user: 100,
  sessions_per_bot: 1000,
  starts_at_once: 512,
  start_wait_ms: 10_000,
  recheck_ms: 5000,
  /** How often all credentials are checked although no notice was lost. */
  routine_recheck_ms: 240_000,
  unchecked_ms: 60_000,
  drain_ms: 10_000,
};

export type GatewayNumbers = Readonly<typeof GATEWAY_DEFAULTS>;

function gatewayNumbers(read: SettingsReader): GatewayNumbers {
  const about =
    'Limits of the gateway that differ from the defaults, as a JSON object, for example {"sockets_per_address": 1000}';
  const text = read.text('GATEWAY_NUMBERS', about);
  if (text === undefined) return GATEWAY_DEFAULTS;
  try {
    const given = Object.entries(JSON.parse(text) as Record<string, unknown>);
    for (const [name, value] of given) {
      if (!(name in GATEWAY_DEFAULTS) || !Number.isSafeInteger(value) || Number(value) < 1) throw new Error(name);
    }
    return { ...GATEWAY_DEFAULTS, ...Object.fromEntries(given) };
  } catch {
    read.fault('GATEWAY_NUMBERS', 'must be a JSON object that maps known names to whole numbers from 1');
    return GATEWAY_DEFAULTS;
  }
}

/** Numbers of the real-time gateway. */
export class GatewaySettings extends settings(LIMITS_SECTION, (read) => ({ gateway: gatewayNumbers(read) })) {}
