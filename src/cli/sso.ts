import { consoleOperator } from '../admin/audit/operator.js';
import { InstanceConfig } from '../admin/instance/instance-config.service.js';
import { Instance } from '../platform/instance/instance.js';
import { assertNoArguments } from './terminal/arguments.js';
import type { Command } from './terminal/command.js';
import { withService } from './terminal/service.js';
import { printResult } from './terminal/words.js';

/** For when the identity provider is unavailable (sso.md section 4). */
export const liftSsoEnforcement: Command = (args, terminal) => {
  assertNoArguments(args);
  return withService(terminal, async (app) => {
    const wasEnforced = app.get(Instance).current.sso.enforced;
    if (wasEnforced) await app.get(InstanceConfig).liftSsoEnforcement(consoleOperator(terminal.reason));
    printResult(terminal, { was_enforced: wasEnforced }, [
      wasEnforced ? 'single sign-on is enforced no longer' : 'single sign-on is not enforced',
    ]);
    return 0;
  });
};
