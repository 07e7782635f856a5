import type { INestApplicationContext } from '@nestjs/common';
import { type AccountRecord, AccountRecords } from '../../accounts/account-records.service.js';
import { AuditLog, type AuditRecord } from '../../admin/audit/audit.service.js';
import { consoleOperator } from '../../admin/audit/operator.js';
import { createApp } from '../../app.js';
import { loadConfig } from '../../features.js';
import { Database } from '../../platform/database/database.js';
import { settingsOf } from '../../policy/extension.js';
import { CommandError, type Terminal } from './command.js';
import { toCommandError } from './to-command-error.js';
import { escapeForTerminal } from './words.js';

/** Runs `work` on the assembled service, without listening and without applying migrations. */
export async function withService<T>(
  { env, embeddedDatabase, extension = {} }: Terminal,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const config = loadConfig(
    { ...env, MIGRATE_ON_START: 'false', LOG_LEVEL: env.LOG_LEVEL ?? 'warn' },
    settingsOf(extension),
  );
  try {
    const app = await createApp(config, {
      ...extension,
      logDestination: { write: (line) => void process.stderr.write(escapeForTerminal(line)) },
      ...(embeddedDatabase ? { embeddedDatabase } : {}),
    });
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  } catch (error) {
    throw toCommandError(error, extension);
  }
}

/** Writes an audit log entry of account `0`. Reads on the console are also logged. */
export async function auditConsoleAction(app: INestApplicationContext, record: AuditRecord): Promise<void> {
  const audit = app.get(AuditLog);
  await app.get(Database).transaction((tx) => audit.record(tx, consoleOperator(), record));
}

/** Finds an account by email address or ID. */
export async function requireAccount(app: INestApplicationContext, name: string): Promise<AccountRecord> {
  const records = app.get(AccountRecords);
  const { records: found } = await records.search(
    /^(?:0|[1-9]\d{0,18})$/.test(name) ? { ids: [name] } : { email: name },
    { limit: 1, offset: 0 },
  );
  const [account] = found;
  if (!account) throw new CommandError(`No account has the email address or ID ${name}.`);
  return account;
}
