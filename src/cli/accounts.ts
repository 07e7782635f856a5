import { parseArgs } from 'node:util';
import { AccountService } from '../accounts/account.service.js';
import { AccountExport } from '../accounts/account-export.service.js';
import type { AccountRecord } from '../accounts/account-records.service.js';
import { AccountRemoval } from '../accounts/account-removal.service.js';
import { AuditLog, type AuditRecord } from '../admin/audit/audit.service.js';
import { consoleOperator } from '../admin/audit/operator.js';
import { Database } from '../platform/database/database.js';
import { readFileLines } from '../platform/storage/spool.js';
import { requireAccountArgument } from './terminal/arguments.js';
import { type Command, CommandError } from './terminal/command.js';
import { auditConsoleAction, requireAccount, withService } from './terminal/service.js';
import { describeAccount, printResult } from './terminal/words.js';

const auditAction = (action: AuditRecord['action'], { id }: AccountRecord) =>
  ({ action, target: { type: 'user', id } }) as const;

export const exportAccount: Command = (args, terminal) => {
  const name = requireAccountArgument(parseArgs({ args, allowPositionals: true }).positionals);
  return withService(terminal, async (app) => {
    const account = await requireAccount(app, name);
    const { file } = await app.get(AccountExport).write(account.id, 'operator');
    try {
      await auditConsoleAction(app, terminal, auditAction('export_account', account));
      for await (const line of readFileLines(file)) terminal.out(line);
    } finally {
      await file.close();
    }
    return 0;
  });
};

export const deleteAccount: Command = (args, terminal) => {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { yes: { type: 'boolean' } } });
  const name = requireAccountArgument(positionals);
  return withService(terminal, async (app) => {
    const account = await requireAccount(app, name);
    const who = describeAccount(account);
    if (account.deletedAt) throw new CommandError(`${who} is already deleted.`);
    if (account.bot) throw new CommandError(`${who} is a bot. Delete its application instead.`);
    if (!values.yes) throw new CommandError(`This would permanently delete ${who}. To delete, add --yes.`);
    await app.get(Database).transaction(async (tx) => {
      const held = await app.get(AccountService).lock(tx, account.id);
      if (!held || held.deletedAt) throw new CommandError(`${who} is already deleted.`);
      await app.get(AccountRemoval).remove(tx, account.id);
      await app.get(AuditLog).record(tx, consoleOperator(terminal.reason), auditAction('delete_account', account));
    });
    printResult(terminal, { account_id: account.id }, [
      `${who} is deleted. Stored media files are deleted within an hour.`,
    ]);
    return 0;
  });
};
