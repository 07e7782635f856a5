import type { INestApplicationContext } from '@nestjs/common';
import { type AccountRecord, AccountRecords, type AccountSelector } from '../../accounts/account-records.service.js';
import { AuditLog, type AuditRecord } from '../../admin/audit/audit.service.js';
import { consoleOperator } from '../../admin/audit/operator.js';
import { createApp } from '../../app.js';
import { loadConfig } from '../../features.js';
import { Database } from '../../platform/database/database.js';
import { settingsOf } from '../../policy/extension.js';
import { CommandError, type Terminal } from './command.js';
import { toCommandError } from './to-command-error.js';
import { escapeForTerminal, escapeLineFeeds } from './words.js';

/** Maximum number of accounts to list if a username is ambiguous. */
const MAX_CANDIDATES = 10;

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
export async function auditConsoleAction(
  app: INestApplicationContext,
  { reason }: Pick<Terminal, 'reason'>,
  record: AuditRecord,
): Promise<void> {
  const audit = app.get(AuditLog);
  await app.get(Database).transaction((tx) => audit.record(tx, consoleOperator(reason), record));
}

function selectorOf(name: string): AccountSelector {
  if (/^(?:0|[1-9]\d{0,18})$/.test(name)) return { ids: [name] };
  if (name.includes('@')) return { email: name };
  const [, username, discriminator] = /^(.+)#(\d{4})$/.exec(name) ?? [];
  return username === undefined ? { username: name } : { tag: { username, discriminator: Number(discriminator) } };
}

/**
 * Finds an account by email address, ID, tag (`name#0000`) or username.
 * @throws CommandError if there is none, or if several accounts have the username
 */
export async function requireAccount(app: INestApplicationContext, name: string): Promise<AccountRecord> {
  const { records: found, total } = await app
    .get(AccountRecords)
    .search(selectorOf(name), { limit: MAX_CANDIDATES, offset: 0 });
  const [account] = found;
  if (!account) throw new CommandError(`No account has the email address, ID or username ${name}.`);
  if (total === 1) return account;
  const candidates = found.map(({ id, email }) => `  ${id}  ${escapeLineFeeds(email ?? '-')}`);
  throw new CommandError(
    `${total} accounts have the username ${name}. Use the ID or the email address:\n${candidates.join('\n')}`,
  );
}
