import { parseArgs } from 'node:util';
import { acls, isAcl } from '../admin/acls.js';
import { CreateAdminKeyInput } from '../admin/admin-keys.dto.js';
import { AdminKeys } from '../admin/admin-keys.service.js';
import { AuditLog } from '../admin/audit.service.js';
import { theConsole } from '../admin/operator.js';
import { UserAcls } from '../admin/user-acls.service.js';
import { validateShape } from '../input.js';
import { Database } from '../platform/database.js';
import { AccountService } from '../users/account.service.js';
import { AccountExport } from '../users/account-export.service.js';
import type { AccountRecord } from '../users/account-records.service.js';
import { AccountRemoval } from '../users/account-removal.service.js';
import { type Command, CommandError, UsageError } from './command.js';
import { accountNamed, withService } from './service.js';

function demandAcls(names: readonly string[]): void {
  const unknown = names.filter((name) => !isAcl(name));
  if (unknown.length === 0) return;
  throw new CommandError(`unknown ACL: ${unknown.join(', ')}. The registry holds:\n  ${acls().join('\n  ')}`);
}

export const grantAcl: Command = async (args, terminal) => {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  const [name, ...granted] = positionals;
  if (name === undefined || granted.length === 0) throw new UsageError('an account and at least one ACL are needed');
  demandAcls(granted);
  return withService(terminal, async (app) => {
    const account = await accountNamed(app, name);
    const held = await app.get(UserAcls).grant(theConsole(), account.id, granted);
    terminal.out(`${account.username} (${account.id}) holds: ${held.join(', ')}`);
    return 0;
  });
};

const deed = (action: string, { id }: AccountRecord) => ({ action, target: { type: 'user', id } }) as const;

export const exportAccount: Command = (args, terminal) => {
  const [name, ...more] = parseArgs({ args, allowPositionals: true }).positionals;
  if (name === undefined || more.length > 0) throw new UsageError('one account is needed');
  return withService(terminal, async (app) => {
    const account = await accountNamed(app, name);
    const parts = await app.get(AccountExport).of(account.id);
    const audit = app.get(AuditLog);
    await app.get(Database).transaction((tx) => audit.record(tx, theConsole(), deed('export_account', account)));
    terminal.out(JSON.stringify(parts, null, 2));
    return 0;
  });
};

export const deleteAccount: Command = (args, terminal) => {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { yes: { type: 'boolean' } } });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new UsageError('one account is needed');
  return withService(terminal, async (app) => {
    const account = await accountNamed(app, name);
    const who = `${account.username} (${account.id})`;
    if (account.deletedAt) throw new CommandError(`${who} is deleted already`);
    if (account.bot) throw new CommandError(`${who} is a bot: it goes with its application`);
    if (!values.yes) throw new CommandError(`This would erase ${who} for good. Nothing is changed without --yes`);
    await app.get(Database).transaction(async (tx) => {
      const held = await app.get(AccountService).lock(tx, account.id);
      if (!held || held.deletedAt) throw new CommandError(`${who} is deleted already`);
      await app.get(AccountRemoval).remove(tx, account.id);
      await app.get(AuditLog).record(tx, theConsole(), deed('delete_account', account));
    });
    terminal.out(`${who} is deleted; bytes of stored media follow within the hour`);
    return 0;
  });
};

export const createAdminKey: Command = async (args, terminal) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      owner: { type: 'string' },
      name: { type: 'string' },
      acl: { type: 'string', multiple: true },
      days: { type: 'string' },
    },
  });
  const { owner, name, acl = [], days } = values;
  if (owner === undefined || name === undefined) throw new UsageError('--owner and --name are needed');
  const wanted = [...acl.flatMap((item) => item.split(',')), ...positionals].map((item) => item.trim());
  demandAcls(wanted);
  const { instance: input, faults } = validateShape(CreateAdminKeyInput, {
    name,
    acls: wanted,
    ...(days === undefined ? {} : { expires_in_days: Number(days) }),
  });
  if (faults.length > 0) throw new CommandError(`not valid: ${faults.map(({ path }) => path).join(', ')}`);
  return withService(terminal, async (app) => {
    const account = await accountNamed(app, owner);
    const missing = wanted.filter((item) => ![item, '*'].some((held) => account.acls.includes(held)));
    if (missing.length > 0) {
      throw new CommandError(
        `${account.username} does not hold ${missing.join(', ')}: a key holds no more than its owner`,
      );
    }
    const key = await app.get(AdminKeys).createFor(theConsole(), account.id, input);
    terminal.out(`key ${key.key_id} of ${account.username}${key.expires_at ? `, until ${key.expires_at}` : ''}:`);
    terminal.out(key.key);
    terminal.out('It is shown only now. Send it as `Authorization: Admin <key>`.');
    return 0;
  });
};
