import { Config } from '../core/config/config.js';
import { DemoData } from '../service/demo/demo-data.service.js';
import { assertNoArguments } from './terminal/arguments.js';
import { type Command, CommandError } from './terminal/command.js';
import { withService } from './terminal/service.js';
import { printResult } from './terminal/words.js';

/** Fills an empty database with example data, and prints how to sign in as its administrator. */
export const fillDemo: Command = (args, terminal) => {
  assertNoArguments(args);
  return withService(terminal, async (app) => {
    if (app.get(Config).production) throw new CommandError('Example data is for development. NODE_ENV is production.');
    const administrator = await app.get(DemoData).fill();
    if (!administrator) throw new CommandError('The database already has accounts. Nothing was added.');
    printResult(terminal, administrator, [
      'Added 200 users with sessions, events, applications and statistics.',
      `Administrator: ${administrator.email}`,
      `Password: ${administrator.password}`,
    ]);
    return 0;
  });
};
