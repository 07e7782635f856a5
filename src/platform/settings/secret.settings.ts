import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '../../core/config/declared.js';
import { hideMembers, type SettingsReader } from '../../core/config/reader.js';
import { DataSettings } from './data.settings.js';
import { InstanceSettings } from './instance.settings.js';

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

/** A development secret that survives restarts. It is created once in the data directory. */
function developmentSecret(dataDir: string): Buffer {
  const path = join(dataDir, 'secret');
  if (existsSync(path)) return Buffer.from(readFileSync(path, 'utf8'), 'base64');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const secret = randomBytes(SECRET_BYTES);
  writeFileSync(path, secret.toString('base64'), { mode: 0o600 });
  return secret;
}

/** The secret that keys are derived from. */
export class SecretSettings extends settings('Secrets', (read) => {
  const { production } = read.of(InstanceSettings);
  const given = decodeSecret(
    read,
    'GATEHOUSE_SECRET',
    'At least 32 random bytes in Base64 (openssl rand -base64 32). Unset in development: generated once in DATA_DIR',
    production,
  );
  const secretNext = decodeSecret(
    read,
    'GATEHOUSE_SECRET_NEXT',
    'Secret after the rotation, which already verifies and decrypts',
    production,
  );
  const secretPrevious = decodeSecret(
    read,
    'GATEHOUSE_SECRET_PREVIOUS',
    'Secret before the rotation, which still verifies and decrypts',
    production,
  );
  if (production && read.peek('GATEHOUSE_SECRET') === undefined) {
    read.fault('GATEHOUSE_SECRET', 'is required in production');
  }
  read.rejectShared('GATEHOUSE_SECRET', 'GATEHOUSE_SECRET_NEXT', 'GATEHOUSE_SECRET_PREVIOUS');
  return hideMembers(
    {
      secretNext,
      secretPrevious,
      get secret(): Buffer {
        return given ?? developmentSecret(read.of(DataSettings).dataDir);
      },
    },
    'secret',
    'secretNext',
    'secretPrevious',
  );
}) {}
