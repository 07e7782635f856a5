import { parseArgs } from 'node:util';
import { AccountRecords } from '../accounts/account-records.service.js';
import { adminUserView, FULL_VISIBILITY } from '../admin/users/admin-users.views.js';
import { parseAddress } from '../core/address.js';
import { assertNoArguments, parseCount, requireAccountArgument } from './terminal/arguments.js';
import { type Command, UsageError } from './terminal/command.js';
import { auditConsoleAction, requireAccount, withService } from './terminal/service.js';
import { printResult } from './terminal/words.js';

const MAX_LISTED = 1000;

type View = ReturnType<typeof adminUserView>;

const text = (value: unknown): string => {
  const words = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return words || '-';
};

/** States that block an account or give it extra rights. */
function describeStates(user: View): string {
  const marks = [
    ...(user.bot ? ['bot'] : []),
    ...(user.email !== null && !user.email_verified ? ['unverified'] : []),
    ...(user.banned ? ['banned'] : []),
    ...(user.pending_deletion_at !== null ? ['to be deleted'] : []),
    ...user.traits,
    ...user.acls.map((acl) => `acl ${acl}`),
  ];
  return marks.join(', ') || '-';
}

const lineOf = (user: View): string =>
  [
    user.id,
    `${user.username}#${user.discriminator}`,
    text(user.email),
    text(user.created_at),
    describeStates(user),
  ].join('  ');

export const showUser: Command = (args, terminal) => {
  const name = requireAccountArgument(parseArgs({ args, allowPositionals: true }).positionals);
  return withService(terminal, async (app) => {
    const account = await requireAccount(app, name);
    await auditConsoleAction(app, terminal, { action: 'show_user', target: { type: 'user', id: account.id } });
    const user = adminUserView(account, FULL_VISIBILITY);
    const lines = Object.entries(user).map(([member, value]) => `${member.padEnd(26)} ${text(value)}`);
    printResult(terminal, user, lines);
    return 0;
  });
};

export const listUsers: Command = (args, terminal) => {
  const options = { limit: { type: 'string' }, offset: { type: 'string' }, ip: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  assertNoArguments(positionals);
  const limit = parseCount('--limit', values.limit, 50, [1, MAX_LISTED]);
  const offset = parseCount('--offset', values.offset, 0, [0, 999_999_999]);
  const ip = values.ip === undefined ? undefined : parseAddress(values.ip);
  if (ip === null) throw new UsageError(`Invalid IP address: ${values.ip}`);
  return withService(terminal, async (app) => {
    const selector = ip ? { lastActiveIp: ip.toString() } : {};
    const { records, total } = await app.get(AccountRecords).search(selector, { limit, offset });
    await auditConsoleAction(app, terminal, {
      action: 'list_users',
      target: { type: 'instance' },
      metadata: { user_count: records.length },
    });
    const users = records.map((record) => adminUserView(record, FULL_VISIBILITY));
    printResult(terminal, users, [...users.map(lineOf), `${users.length} of ${total}`]);
    return 0;
  });
};
