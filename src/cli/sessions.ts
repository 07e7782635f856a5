import { parseArgs } from 'node:util';
import { AuditLog } from '../admin/audit/audit.service.js';
import { theConsole } from '../admin/audit/operator.js';
import { SessionSweep } from '../auth/sessions/session-sweep.service.js';
import { Clock } from '../core/clock.js';
import { demandNothing, moment } from './terminal/arguments.js';
import { type Command, UsageError } from './terminal/command.js';
import { withService } from './terminal/service.js';

/** For when tokens leaked: whoever signed in since then does so again. */
export const revokeSessions: Command = (args, terminal) => {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { since: { type: 'string' } } });
  demandNothing(positionals);
  if (values.since === undefined) throw new UsageError('--since is needed');
  const since = moment(values.since, new Clock().now());
  return withService(terminal, async (app) => {
    const audit = app.get(AuditLog);
    const ended = await app.get(SessionSweep).revokeSince(since, (tx, count) =>
      audit.record(tx, theConsole(), {
        action: 'revoke_sessions',
        target: { type: 'instance' },
        metadata: { since: since.toISOString(), count },
      }),
    );
    terminal.out(`${ended} sessions made since ${since.toISOString()} are ended`);
    return 0;
  });
};
