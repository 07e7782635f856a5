import { parseArgs } from 'node:util';
import { consoleOperator } from '../admin/audit/operator.js';
import { UserContact } from '../admin/users/user-contact.service.js';
import { UserFactors } from '../admin/users/user-factors.service.js';
import { Passkeys } from '../auth/passkeys/passkeys.service.js';
import { Outbox } from '../platform/mail/outbox.js';
import { requireAccountArgument } from './terminal/arguments.js';
import { type Command, CommandError } from './terminal/command.js';
import { requireAccount, withService } from './terminal/service.js';
import { describeAccount, formatCount, printResult } from './terminal/words.js';

export const verifyEmail: Command = (args, terminal) => {
  const name = requireAccountArgument(parseArgs({ args, allowPositionals: true }).positionals);
  return withService(terminal, async (app) => {
    const account = await requireAccount(app, name);
    const { id } = account;
    const { user } = await app.get(UserContact).verifyEmail(consoleOperator(terminal.reason), id);
    printResult(terminal, { account_id: id, email: user.email }, [
      `The email address ${user.email} of ${describeAccount(account)} is verified.`,
    ]);
    return 0;
  });
};

export const resetPassword: Command = (args, terminal) => {
  const name = requireAccountArgument(parseArgs({ args, allowPositionals: true }).positionals);
  return withService(terminal, async (app) => {
    const account = await requireAccount(app, name);
    const { id, email } = account;
    if (!app.get(Outbox).canSend)
      throw new CommandError('The token cannot be emailed, because MAIL_TRANSPORT is none.');
    await app.get(UserContact).mailReset(consoleOperator(terminal.reason), id);
    printResult(terminal, { account_id: id, email }, [
      `A password reset email was sent to ${email} for ${describeAccount(account)}.`,
    ]);
    return 0;
  });
};

/** For users who lost their device. Afterwards, the password or a passkey is sufficient to sign in. */
export const disableMfa: Command = (args, terminal) => {
  const options = { passkeys: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const name = requireAccountArgument(positionals);
  return withService(terminal, async (app) => {
    const account = await requireAccount(app, name);
    const { id } = account;
    const factors = app.get(UserFactors);
    await factors.disableMfa(consoleOperator(terminal.reason), id);
    const passkeys = await app.get(Passkeys).list(id);
    if (values.passkeys)
      for (const passkey of passkeys) await factors.deletePasskey(consoleOperator(terminal.reason), id, passkey.id);
    const removed = values.passkeys
      ? 'authenticator app, backup codes and passkeys'
      : 'authenticator app and backup codes';
    const stay = `Kept ${formatCount(passkeys.length, 'passkey')}. To remove passkeys, add --passkeys.`;
    const kept = values.passkeys ? 0 : passkeys.length;
    printResult(terminal, { account_id: id, removed_passkeys: passkeys.length - kept, kept_passkeys: kept }, [
      `Removed the ${removed} of ${describeAccount(account)}.`,
      ...(kept > 0 ? [stay] : []),
    ]);
    return 0;
  });
};
