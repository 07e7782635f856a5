import { parseArgs } from 'node:util';
import { consoleOperator } from '../admin/audit/operator.js';
import { CreateAdminKeyInput } from '../admin/keys/admin-keys.dto.js';
import { AdminKeys } from '../admin/keys/admin-keys.service.js';
import { featureRegistry } from '../features.js';
import { validateShape } from '../http/input.js';
import { type Command, CommandError, UsageError } from './terminal/command.js';
import { requireAccount, withService } from './terminal/service.js';
import { describeAccount, printResult } from './terminal/words.js';
import { assertKnownAcls } from './user-acls.js';

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
  if (owner === undefined || name === undefined) throw new UsageError('--owner or --name is missing.');
  const wanted = [...acl.flatMap((item) => item.split(',')), ...positionals].map((item) => item.trim());
  assertKnownAcls(wanted, terminal);
  const { instance: input, faults } = validateShape(
    CreateAdminKeyInput,
    { name, acls: wanted, ...(days === undefined ? {} : { expires_in_days: Number(days) }) },
    featureRegistry(terminal.extension),
  );
  if (faults.length > 0) throw new CommandError(`Invalid: ${faults.map(({ path }) => path).join(', ')}`);
  return withService(terminal, async (app) => {
    const account = await requireAccount(app, owner);
    const missing = wanted.filter((item) => ![item, '*'].some((held) => account.acls.includes(held)));
    if (missing.length > 0) {
      throw new CommandError(
        `${describeAccount(account)} does not have ${missing.join(', ')}. A key cannot have more ACLs than its owner.`,
      );
    }
    const key = await app.get(AdminKeys).createFor(consoleOperator(terminal.reason), account.id, input);
    printResult(terminal, key, [
      `Admin API key ${key.key_id} of ${account.username}${key.expires_at ? `, expires ${key.expires_at}` : ''}:`,
      key.key,
      'The key is shown only once. Send it as `Authorization: Admin <key>`.',
    ]);
    return 0;
  });
};
