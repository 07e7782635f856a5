import { Config } from '../core/config/config.js';
import { KeyRotation } from '../platform/keys/key-rotation.js';
import { assertNoArguments } from './terminal/arguments.js';
import type { Command } from './terminal/command.js';
import { auditConsoleAction, withService } from './terminal/service.js';

/**
 * The second step of a secret rotation. The first moves the old secret to GATEHOUSE_SECRET_PREVIOUS, the third removes
 * it.
 */
export const rotateKeys: Command = (args, terminal) => {
  assertNoArguments(args);
  return withService(terminal, async (app) => {
    const outcome = await app.get(KeyRotation).run();
    const renewed = Object.fromEntries([...outcome].map(([name, { renewed }]) => [name, renewed]));
    await auditConsoleAction(app, { action: 'rotate_keys', target: { type: 'instance' }, metadata: renewed });
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
