import { parseArgs } from 'node:util';
import { consoleOperator } from '../admin/audit/operator.js';
import { MAX_BAN_HOURS } from '../admin/bans/ip-bans.dto.js';
import { UserFactors } from '../admin/users/user-factors.service.js';
import { BanInput } from '../admin/users/user-state.dto.js';
import { UserState } from '../admin/users/user-state.service.js';
import { featureRegistry } from '../features.js';
import { validateShape } from '../http/input.js';
import { parseCount, requireAccountArgument } from './terminal/arguments.js';
import { type Command, UsageError } from './terminal/command.js';
import { requireAccount, withService } from './terminal/service.js';
import { describeAccount, printResult } from './terminal/words.js';

type Session = Awaited<ReturnType<UserFactors['listSessions']>>['sessions'][number];

const lineOf = (session: Session): string =>
  [
    session.deleted_at === null ? 'active' : `ended ${session.deleted_at}`,
    session.client_ip,
    [session.client_platform, session.client_os].filter((part) => part !== null).join(' on ') || '-',
    `since ${session.created_at}`,
    `last used ${session.approx_last_used_at}`,
  ].join('  ');

/** Lists active sessions, then those that ended in the last 30 days. */
export const listSessions: Command = (args, terminal) => {
  const name = requireAccountArgument(parseArgs({ args, allowPositionals: true }).positionals);
  return withService(terminal, async (app) => {
    const account = await requireAccount(app, name);
    const { sessions } = await app.get(UserFactors).listSessions(consoleOperator(terminal.reason), account.id);
    const none = `${describeAccount(account)} has no session.`;
    printResult(terminal, sessions, sessions.length === 0 ? [none] : sessions.map(lineOf));
    return 0;
  });
};

export const banUser: Command = async (args, terminal) => {
  const options = { hours: { type: 'string' }, message: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const name = requireAccountArgument(positionals);
  const hours = parseCount('--hours', values.hours, 0, [1, MAX_BAN_HOURS]);
  const { instance: input, faults } = validateShape(
    BanInput,
    { duration_hours: hours, reason: values.message ?? null },
    featureRegistry(terminal.extension),
  );
  if (faults.length > 0) throw new UsageError('--message must have at most 512 characters.');
  return withService(terminal, async (app) => {
    const account = await requireAccount(app, name);
    const { user } = await app.get(UserState).ban(consoleOperator(terminal.reason), account.id, input);
    const until = user.temp_banned_until === null ? 'permanently' : `until ${user.temp_banned_until}`;
    printResult(terminal, { account_id: account.id, banned_until: user.temp_banned_until }, [
      `${describeAccount(account)} is banned ${until}, and all its sessions have ended.`,
    ]);
    return 0;
  });
};

export const unbanUser: Command = (args, terminal) => {
  const name = requireAccountArgument(parseArgs({ args, allowPositionals: true }).positionals);
  return withService(terminal, async (app) => {
    const account = await requireAccount(app, name);
    await app.get(UserState).unban(consoleOperator(terminal.reason), account.id);
    const wasBanned = account.banned || account.bannedUntil !== null;
    printResult(terminal, { account_id: account.id, was_banned: wasBanned }, [
      `${describeAccount(account)} ${wasBanned ? 'is not banned any more' : 'was not banned'}.`,
    ]);
    return 0;
  });
};
