import { parseArgs } from 'node:util';
import { AuditLog } from '../admin/audit/audit.service.js';
import { consoleOperator } from '../admin/audit/operator.js';
import { SessionSweep } from '../auth/sessions/session-sweep.service.js';
import { Clock } from '../core/clock.js';
import { assertNoArguments, parseTime } from './terminal/arguments.js';
import { type Command, UsageError } from './terminal/command.js';
import { withService } from './terminal/service.js';
import { formatCount } from './terminal/words.js';

const OPTIONS = { since: { type: 'string' }, all: { type: 'boolean' } } as const;

/** `null` means all sessions. */
function parseStart({ since, all }: { readonly since?: string; readonly all?: boolean }): Date | null {
  if ((since === undefined) === (all !== true)) throw new UsageError('Use either --all or --since <time>.');
  return since === undefined ? null : parseTime(since, new Clock().now());
}

/** Use `--since` after tokens leaked. Use `--all` after a restore, because a restore brings back ended sessions. */
export const revokeSessions: Command = (args, terminal) => {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  assertNoArguments(positionals);
  const since = parseStart(values);
  return withService(terminal, async (app) => {
    const audit = app.get(AuditLog);
    const ended = await app.get(SessionSweep).revokeSince(since ?? new Date(0), (tx, count) =>
      audit.record(tx, consoleOperator(), {
        action: 'revoke_sessions',
        target: { type: 'instance' },
        metadata: { ...(since ? { since: since.toISOString() } : { all: true }), count },
      }),
    );
    terminal.out(
      `Ended ${formatCount(ended, 'session')}${since ? ` that were created since ${since.toISOString()}` : ''}.`,
    );
    return 0;
  });
};
