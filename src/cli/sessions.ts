import { parseArgs } from 'node:util';
import { AuditLog } from '../admin/audit/audit.service.js';
import { consoleOperator } from '../admin/audit/operator.js';
import { UserState } from '../admin/users/user-state.service.js';
import { SessionSweep } from '../auth/sessions/session-sweep.service.js';
import { Clock } from '../core/clock.js';
import { assertNoArguments, parseTime, requireAccountArgument } from './terminal/arguments.js';
import { type Command, type Terminal, UsageError } from './terminal/command.js';
import { requireAccount, withService } from './terminal/service.js';
import { describeAccount, formatCount, printResult } from './terminal/words.js';

const OPTIONS = { since: { type: 'string' }, all: { type: 'boolean' }, account: { type: 'string' } } as const;

const endSessionsOf = (name: string, terminal: Terminal): Promise<number> =>
  withService(terminal, async (app) => {
    const account = await requireAccount(app, name);
    const count = await app.get(UserState).endSessions(consoleOperator(terminal.reason), account.id);
    printResult(terminal, { account_id: account.id, ended: count }, [
      `Ended ${formatCount(count, 'session')} of ${describeAccount(account)}.`,
    ]);
    return 0;
  });

export const endSessions: Command = async (args, terminal) =>
  endSessionsOf(requireAccountArgument(parseArgs({ args, allowPositionals: true }).positionals), terminal);

/** Use `--since` after tokens leaked. Use `--all` after a restore, because a restore brings back ended sessions. */
export const revokeSessions: Command = (args, terminal) => {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  assertNoArguments(positionals);
  if (Object.keys(values).length !== 1)
    throw new UsageError('Use one of --all, --since <time> and --account <email|id>.');
  if (values.account !== undefined) return endSessionsOf(values.account, terminal);
  const since = values.since === undefined ? null : parseTime(values.since, new Clock().now());
  return withService(terminal, async (app) => {
    const audit = app.get(AuditLog);
    const ended = await app.get(SessionSweep).revokeSince(since ?? new Date(0), (tx, count) =>
      audit.record(tx, consoleOperator(terminal.reason), {
        action: 'revoke_sessions',
        target: { type: 'instance' },
        metadata: { ...(since ? { since: since.toISOString() } : { all: true }), count },
      }),
    );
    printResult(terminal, { since, ended }, [
      `Ended ${formatCount(ended, 'session')}${since ? ` that were created since ${since.toISOString()}` : ''}.`,
    ]);
    return 0;
  });
};
