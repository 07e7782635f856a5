import { parseArgs } from 'node:util';
import { consoleOperator } from '../../admin/audit/operator.js';
import { Log } from '../../core/log.js';
import { loadConfig } from '../../features.js';
import { settingsOf } from '../../policy/extension.js';
import { LedgerStorage } from '../../restore/ledger-storage.js';
import { Restore } from '../../restore/restore.service.js';
import { assertNoArguments } from '../terminal/arguments.js';
import { type Command, CommandError } from '../terminal/command.js';
import { withService } from '../terminal/service.js';
import { formatCount, printResult } from '../terminal/words.js';
import { migrate } from './migrate.js';

const LOCKED = 'No replica starts until `restore finish`. Restore the database, then run that command.';

/** With `--database-lost`, only the lock is set, because there is no database to check. */
export const beginRestore: Command = async (args, terminal) => {
  const options = { 'database-lost': { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  assertNoArguments(positionals);
  if (values['database-lost']) {
    const config = loadConfig(terminal.env, settingsOf(terminal.extension ?? {}));
    const storage = await LedgerStorage.open(config, new Log(config));
    if (!storage) throw new CommandError('There is no ledger. Set ERASURE_LEDGER_DIR or ERASURE_LEDGER_BUCKET.');
    await storage.lock();
  } else await withService(terminal, (app) => app.get(Restore).begin());
  printResult(terminal, { locked: true }, [LOCKED]);
  return 0;
};

/** Applies pending migrations first, because a backup may be older than the program. */
export const finishRestore: Command = async (args, terminal) => {
  assertNoArguments(args);
  await migrate([], { ...terminal, out: () => {} });
  return withService(terminal, async (app) => {
    const done = await app.get(Restore).finish(consoleOperator(terminal.reason));
    const { sessions, credentials, erased, banned, unbanned, ip_banned, ip_unbanned, files } = done;
    printResult(terminal, done, [
      `Ended ${formatCount(sessions, 'session')} and ${formatCount(credentials, 'other credential')}.`,
      `Repeated ${formatCount(erased, 'erasure')} and ${formatCount(banned, 'ban')}, and removed ${formatCount(unbanned, 'ban')}.`,
      `Repeated ${formatCount(ip_banned, 'ban')} of IP addresses, and removed ${formatCount(ip_unbanned, 'ban')}.`,
      `Removed ${formatCount(files, 'file')} without a row.`,
      'The restore is finished. You can start the replicas.',
    ]);
    return 0;
  });
};
