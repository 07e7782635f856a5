import { parseArgs } from 'node:util';
import { AdminApplications } from '../admin/applications/admin-applications.service.js';
import { consoleOperator } from '../admin/audit/operator.js';
import { UserAcls } from '../admin/users/user-acls.service.js';
import { snowflakeFault } from '../http/input.js';
import { requireAccountArgument } from './terminal/arguments.js';
import { type Command, UsageError } from './terminal/command.js';
import { requireAccount, withService } from './terminal/service.js';
import { describeAccount, formatCount, printResult } from './terminal/words.js';

/** A bot has the ID of its application. */
export const revokeBotTokens: Command = (args, terminal) => {
  const [id, ...more] = parseArgs({ args, allowPositionals: true }).positionals;
  if (id === undefined || more.length > 0) throw new UsageError('Give one ID of an application or of its bot.');
  if (snowflakeFault(id)) throw new UsageError(`Invalid ID: ${id}`);
  return withService(terminal, async (app) => {
    const { name, ownerId } = await app.get(AdminApplications).revokeBotTokens(consoleOperator(terminal.reason), id);
    printResult(terminal, { application_id: id, owner_id: ownerId }, [
      `All tokens of the bot of ${name} (${id}) are revoked, and its connections are closed.`,
      `Its owner (${ownerId}) gets a new token with POST /v1/oauth2/applications/${id}/bot/reset-token.`,
    ]);
    return 0;
  });
};

export const demoteAdministrator: Command = (args, terminal) => {
  const name = requireAccountArgument(parseArgs({ args, allowPositionals: true }).positionals);
  return withService(terminal, async (app) => {
    const account = await requireAccount(app, name);
    const removed = await app.get(UserAcls).demote(consoleOperator(terminal.reason), account.id);
    printResult(terminal, { account_id: account.id, ...removed }, [
      `${describeAccount(account)} is not an administrator any more.`,
      `Removed ACLs: ${removed.acls.join(', ') || 'none'}`,
      `Revoked ${formatCount(removed.keys, 'Admin API key')}, and ended ${formatCount(removed.sessions, 'session')}.`,
    ]);
    return 0;
  });
};
