import { AuditLog } from '../admin/audit.service.js';
import { theConsole } from '../admin/operator.js';
import { Config } from '../config.js';
import { Database } from '../platform/database.js';
import { KeyRotation } from '../platform/key-rotation.js';
import { type Command, UsageError } from './command.js';
import { withService } from './service.js';

/** Second step of a rotation: the first put the old secret into GATEHOUSE_SECRET_PREVIOUS, the third takes it away. */
export const rotateKeys: Command = (args, terminal) => {
  if (args.length > 0) throw new UsageError(`${args[0]} is not expected`);
  return withService(terminal, async (app) => {
    const outcome = await app.get(KeyRotation).run();
    const renewed = Object.fromEntries([...outcome].map(([name, { renewed }]) => [name, renewed]));
    await app
      .get(Database)
      .transaction((tx) =>
        app
          .get(AuditLog)
          .record(tx, theConsole(), { action: 'rotate_keys', target: { type: 'instance' }, metadata: renewed }),
      );
    for (const [name, { renewed, lost }] of outcome) {
      terminal.out(`${name}: ${renewed} re-encrypted${lost > 0 ? `, ${lost} lost: no secret opens them` : ''}`);
    }
    if ([...outcome.values()].some(({ lost }) => lost > 0)) {
      terminal.out('Was GATEHOUSE_SECRET_PREVIOUS set to the secret of before? With it, run the command again.');
      return 1;
    }
    terminal.out(
      app.get(Config).secretPrevious
        ? 'GATEHOUSE_SECRET_PREVIOUS can be removed once what lives for an hour at most is over.'
        : 'There is no GATEHOUSE_SECRET_PREVIOUS: nothing else can be under another key.',
    );
    return 0;
  });
};
