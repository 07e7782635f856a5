import { parseArgs } from 'node:util';
import { consoleOperator } from '../admin/audit/operator.js';
import { UserContact } from '../admin/users/user-contact.service.js';
import { UserFactors } from '../admin/users/user-factors.service.js';
import { Passkeys } from '../auth/passkeys/passkeys.service.js';
import { Outbox } from '../platform/mail/outbox.js';
import { requireAccountArgument } from './terminal/arguments.js';
import { type Command, CommandError } from './terminal/command.js';
import { requireAccount, withService } from './terminal/service.js';
import { formatCount } from './terminal/words.js';

export const verifyEmail: Command = (args, terminal) => {
  const name = requireAccountArgument(parseArgs({ args, allowPositionals: true }).positionals);
  return withService(terminal, async (app) => {
    const { id, username } = await requireAccount(app, name);
    const { user } = await app.get(UserContact).verifyEmail(consoleOperator(), id);
    terminal.out(`The email address ${user.email} of ${username} (${id}) is verified.`);
    return 0;
  });
};

export const resetPassword: Command = (args, terminal) => {
  const name = requireAccountArgument(parseArgs({ args, allowPositionals: true }).positionals);
  return withService(terminal, async (app) => {
    const { id, username, email } = await requireAccount(app, name);
    if (!app.get(Outbox).canSend)
      throw new CommandError('The token cannot be emailed, because MAIL_TRANSPORT is none.');
    await app.get(UserContact).mailReset(consoleOperator(), id);
    terminal.out(`A password reset email was sent to ${email} for ${username} (${id}).`);
    return 0;
  });
};

/** For users who lost their device. Afterwards, the password or a passkey is sufficient to sign in. */
export const disableMfa: Command = (args, terminal) => {
  const options = { passkeys: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const name = requireAccountArgument(positionals);
  return withService(terminal, async (app) => {
    const { id, username } = await requireAccount(app, name);
    const factors = app.get(UserFactors);
    await factors.disableMfa(consoleOperator(), id);
    const passkeys = await app.get(Passkeys).list(id);
    if (values.passkeys) for (const passkey of passkeys) await factors.deletePasskey(consoleOperator(), id, passkey.id);
    const removed = values.passkeys
      ? 'authenticator app, backup codes and passkeys'
      : 'authenticator app and backup codes';
    terminal.out(`Removed the ${removed} of ${username} (${id}).`);
    const stay = `Kept ${formatCount(passkeys.length, 'passkey')}. To remove passkeys, add --passkeys.`;
    if (!values.passkeys && passkeys.length > 0) terminal.out(stay);
    return 0;
  });
};
