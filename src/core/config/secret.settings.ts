import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hideMembers, type SettingsReader, splitList } from './reader.js';
import type { ServiceSettings } from './service.settings.js';

export const SECRET_BYTES = 32;

// 32 random bytes have about 30 distinct values. Typed words and repeated patterns have far fewer.
const MIN_DISTINCT_BYTES = 16;

function decodeSecret(read: SettingsReader, name: string, about: string, production: boolean): Buffer | undefined {
  const value = read.secret(name, about);
  if (value === undefined) return undefined;
  const bytes = Buffer.from(value, 'base64');
  const isWeak = production && new Set(bytes).size < MIN_DISTINCT_BYTES;
  if (bytes.length >= SECRET_BYTES && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) && !isWeak) return bytes;
  read.fault(name, `must be at least ${SECRET_BYTES} random bytes in base64`);
  return undefined;
}

/** The secret that keys are derived from, and the setup token. */
export function secretSettings(read: SettingsReader, { production }: ServiceSettings) {
  read.section('Secrets');
  const secret = decodeSecret(
    read,
    'GATEHOUSE_SECRET',
    '32 or more random bytes in base64 (openssl rand -base64 32); unset in development: made once in DATA_DIR',
    production,
  );
  const secretPrevious = decodeSecret(
    read,
    'GATEHOUSE_SECRET_PREVIOUS',
    'The secret before a rotation: still verifies and decrypts',
    production,
  );
  const setupToken = read.secret(
    'GATEHOUSE_SETUP_TOKEN',
    'Presets the one-time token of POST /v1/setup (32 or more characters); unset: made and printed at the first start',
  );
  if (production && read.peek('GATEHOUSE_SECRET') === undefined) {
    read.fault('GATEHOUSE_SECRET', 'is required in production');
  }
  if (setupToken !== undefined && setupToken.length < 32) {
    read.fault('GATEHOUSE_SETUP_TOKEN', 'must have at least 32 characters');
  }
  return hideMembers({ secret, secretPrevious, setupToken }, 'secret', 'secretPrevious', 'setupToken');
}

const KEYS = [
  'GATEHOUSE_SECRET',
  'GATEHOUSE_SECRET_PREVIOUS',
  'GATEHOUSE_SETUP_TOKEN',
  'ADMIN_OAUTH_CLIENT_SECRET',
  'MEDIA_RELAY_SECRETS',
  'MEDIA_SIGNING_SECRETS',
  'MEDIA_S3_SECRET_ACCESS_KEY',
];

/** Rejects secrets that are used for two purposes, because a leak in one place must not affect another. */
export function rejectSharedSecrets(read: SettingsReader): void {
  const seen = new Map<string, string>();
  for (const name of KEYS) {
    for (const value of new Set(splitList(read.peek(name)))) {
      const other = seen.get(value);
      if (other !== undefined) read.fault(name, `must differ from ${other}`);
      else seen.set(value, name);
    }
  }
}

/** A development secret that survives restarts. It is created once in the data directory. */
export function developmentSecret(dataDir: string): Buffer {
  const path = join(dataDir, 'secret');
  if (existsSync(path)) return Buffer.from(readFileSync(path, 'utf8'), 'base64');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const secret = randomBytes(SECRET_BYTES);
  writeFileSync(path, secret.toString('base64'), { mode: 0o600 });
  return secret;
}
