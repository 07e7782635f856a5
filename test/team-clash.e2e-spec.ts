/** @own-modules What is registered stays for as long as the modules do. */
import { Controller, Get, Module } from '@nestjs/common';
import {
  Public,
  registerAcl,
  registerBucket,
  registerEncryptedColumn,
  registerErrorCode,
  registerFieldCode,
  registerMail,
  registerScope,
  registerSecurityEvent,
} from '../src/index.js';
import { boot } from './support/boot.js';

const WORDS = { 'en-US': 'Something of a team.' };

declare module '../src/core/merged.js' {
  interface ExtraMails {
    note_lost: { readonly name: string };
  }
}

const mail = { words: { 'en-US': { subject: 's', paragraphs: ['p'], reason: 'r' } }, sample: { name: 'Ada' } };

/** How a team adds each kind of name: a free one, and one that the service has. */
const KINDS: [kind: string, add: (name: string) => void, free: string, ours: string][] = [
  ['scope', (name) => registerScope(name, WORDS), 'clash.read', 'identify'],
  ['ACL', (name) => registerAcl(name, WORDS), 'clash:read', 'user:lookup'],
  ['bucket', (name) => registerBucket(name, 1, 1), 'clash:read', 'auth:login'],
  ['error code', (name) => registerErrorCode(name, 409, 'A message.'), 'CLASH', 'CONFLICT'],
  ['field code', (name) => registerFieldCode(name, 'A message.'), 'CLASH_OF_FIELDS', 'INVALID_FORMAT'],
  ['security event', (name) => registerSecurityEvent(name, WORDS), 'note_clash', 'signed_in'],
  ['mail', (name) => registerMail(name as 'note_lost', mail), 'note_lost', 'password_reset'],
  [
    'sealed column',
    (name) => void registerEncryptedColumn(name, { table: 'note', column: 'words' }),
    ...(['words of notes', 'authenticator secrets'] as const),
  ],
];

/**
 * A team's name works until a minor version of ours adds the same one. Then the module of the team throws while it is
 * imported, so the service of the team does not start.
 */
describe('a name that the service and a team both use', () => {
  test.each(KINDS)('%s: a free name is added', (_kind, add, free) => {
    expect(() => add(free)).not.toThrow();
  });

  test.each(KINDS)('%s: one that the service has throws and is named', (_kind, add, _free, ours) => {
    expect(() => add(ours)).toThrow(ours);
  });

  test('route: the audit names both handlers', async () => {
    @Controller('v1/users/@me')
    class TheirController {
      @Get()
      @Public()
      show() {}
    }
    @Module({ controllers: [TheirController] })
    class TheirModule {}
    await expect(boot([TheirModule])).rejects.toThrow(
      /MeController\.\w+ and TheirController\.show|TheirController\.show and/,
    );
  });
});
