import type { INestApplicationContext } from '@nestjs/common';
import { AuditLog, type Deed } from '../admin/audit.service.js';
import { theConsole } from '../admin/operator.js';
import { createApp } from '../app.js';
import { commandLine } from '../command-line.js';
import { loadConfig } from '../config.js';
import { Refusal } from '../errors.js';
import { Database } from '../platform/database.js';
import { DatabaseInUseError } from '../platform/directory-lock.js';
import { type AccountRecord, AccountRecords } from '../users/account-records.service.js';
import { CommandError, type Terminal } from './command.js';

const SCHEMA_IS_OLD: ReadonlySet<string> = new Set(['42P01', '42703']);

/** What went wrong, in words for whoever typed the command. */
export function explained(error: unknown): unknown {
  if (error instanceof DatabaseInUseError) {
    const advice = 'The embedded database serves one process: stop the service, then run the command again.';
    return new CommandError(`${error.message}.\n${advice}`);
  }
  if (error instanceof Refusal) return new CommandError(`refused: ${error.code}: ${error.message}`);
  if (SCHEMA_IS_OLD.has((error as { code?: string }).code ?? '')) {
    return new CommandError(`the database schema is not current: run \`${commandLine('migrate')}\` first`);
  }
  return error;
}

/** Runs `work` on the assembled service, which listens nowhere and applies no migration. */
export async function withService<T>(
  { env }: Terminal,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const config = loadConfig({ ...env, MIGRATE_ON_START: 'false', LOG_LEVEL: env.LOG_LEVEL ?? 'warn' });
  try {
    const app = await createApp(config, { logDestination: { write: (line) => void process.stderr.write(line) } });
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  } catch (error) {
    throw explained(error);
  }
}

/** Leaves an entry of account `0` in the audit log: that something was read at the console is told there too. */
export async function recordAtConsole(app: INestApplicationContext, deed: Deed): Promise<void> {
  const audit = app.get(AuditLog);
  await app.get(Database).transaction((tx) => audit.record(tx, theConsole(), deed));
}

/** The account that a person names by address or id. */
export async function accountNamed(app: INestApplicationContext, name: string): Promise<AccountRecord> {
  const records = app.get(AccountRecords);
  const { records: found } = await records.search(
    /^(?:0|[1-9]\d{0,18})$/.test(name) ? { ids: [name] } : { email: name },
    { limit: 1, offset: 0 },
  );
  const [account] = found;
  if (!account) throw new CommandError(`no account has the address or id ${name}`);
  return account;
}
