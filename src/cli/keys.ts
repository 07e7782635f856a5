import { parseArgs } from 'node:util';
import { Config } from '../core/config/config.js';
import { SigningKeys } from '../oauth/openid/signing-keys.service.js';
import { KeyRotation } from '../platform/keys/key-rotation.js';
import { assertNoArguments } from './terminal/arguments.js';
import { type Command, CommandError } from './terminal/command.js';
import { auditConsoleAction, withService } from './terminal/service.js';
import { printResult } from './terminal/words.js';

const SIGNING_KEYS = {
  rotated: 'signing keys of OpenID Connect: rotated',
  young:
    'signing keys of OpenID Connect: not rotated, because the next keys were published less than 24 hours ago. Run the command again later',
  unused: 'signing keys of OpenID Connect: not created yet',
};

/**
 * Re-encrypts all secrets at rest, which is the second step of a secret rotation, and rotates the signing keys. The
 * first step moves the old secret to GATEHOUSE_SECRET_PREVIOUS, the third removes it. With `--secrets`, the signing keys
 * stay.
 */
export const rotateKeys: Command = (args, terminal) => {
  const options = { compromised: { type: 'boolean' }, secrets: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  assertNoArguments(positionals);
  if (values.secrets && values.compromised) throw new CommandError('Use only one of --secrets and --compromised');
  return withService(terminal, async (app) => {
    const outcome = await app.get(KeyRotation).run();
    const renewed = Object.fromEntries([...outcome].map(([name, { renewed }]) => [name, renewed]));
    const isLost = [...outcome.values()].some(({ lost }) => lost > 0);
    // A new key must not be encrypted with a secret that does not decrypt the others.
    const isKept = isLost || values.secrets === true;
    const signingKeys = isKept ? undefined : await app.get(SigningKeys).rotate(values.compromised === true);
    const metadata = { ...renewed, ...(signingKeys && { signing_keys: signingKeys }) };
    await auditConsoleAction(app, terminal, { action: 'rotate_keys', target: { type: 'instance' }, metadata });
    const columns = [...outcome].map(
      ([name, { renewed, lost }]) =>
        `${name}: ${renewed} re-encrypted${lost > 0 ? `, ${lost} lost: no secret decrypts them` : ''}`,
    );
    const next = app.get(Config).secretPrevious
      ? 'You can remove GATEHOUSE_SECRET_PREVIOUS in an hour, when the last short-lived tokens have expired.'
      : 'GATEHOUSE_SECRET_PREVIOUS is not set, so all stored secrets use the current key.';
    const lost = 'Set GATEHOUSE_SECRET_PREVIOUS to the previous secret, and run the command again.';
    printResult(terminal, { secrets: Object.fromEntries(outcome), signing_keys: signingKeys ?? null }, [
      ...columns,
      ...(signingKeys ? [SIGNING_KEYS[signingKeys]] : []),
      isLost ? lost : next,
    ]);
    return isLost || signingKeys === 'young' ? 1 : 0;
  });
};
