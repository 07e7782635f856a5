import { parseArgs } from 'node:util';
import type { AccountRecord } from '../accounts/account-records.service.js';
import { consoleOperator } from '../admin/audit/operator.js';
import { UserAcls } from '../admin/users/user-acls.service.js';
import { featureRegistry } from '../features.js';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.js';
import { requireAccount, withService } from './terminal/service.js';
import { describeAccount, printResult } from './terminal/words.js';

export function assertKnownAcls(names: readonly string[], { extension }: Terminal): void {
  const { acls } = featureRegistry(extension);
  const unknown = names.filter((name) => !acls.has(name));
  if (unknown.length === 0) return;
  throw new CommandError(`Unknown ACL: ${unknown.join(', ')}. Registered ACLs:\n  ${[...acls.keys()].join('\n  ')}`);
}

function accountAndAcls(args: string[]): [name: string, acls: string[]] {
  const [name, ...named] = parseArgs({ args, allowPositionals: true }).positionals;
  if (name === undefined || named.length === 0) throw new UsageError('Give an account and at least one ACL.');
  return [name, named];
}

const printAcls = (terminal: Terminal, account: AccountRecord, acls: readonly string[]): void =>
  printResult(terminal, { account_id: account.id, acls }, [
    `ACLs of ${describeAccount(account)}: ${acls.join(', ') || 'no ACL'}`,
  ]);

export const grantAcl: Command = async (args, terminal) => {
  const [name, granted] = accountAndAcls(args);
  assertKnownAcls(granted, terminal);
  return withService(terminal, async (app) => {
    const account = await requireAccount(app, name);
    const held = await app.get(UserAcls).grant(consoleOperator(terminal.reason), account.id, granted);
    printAcls(terminal, account, held);
    return 0;
  });
};

/** ACLs that are no longer in the registry can also be revoked: they grant nothing but are still stored. */
export const revokeAcl: Command = async (args, terminal) => {
  const [name, revoked] = accountAndAcls(args);
  return withService(terminal, async (app) => {
    const account = await requireAccount(app, name);
    const absent = revoked.filter((acl) => !account.acls.includes(acl));
    if (absent.length > 0) throw new CommandError(`${describeAccount(account)} does not have ${absent.join(', ')}.`);
    const held = await app.get(UserAcls).revoke(consoleOperator(terminal.reason), account.id, revoked);
    printAcls(terminal, account, held);
    return 0;
  });
};
