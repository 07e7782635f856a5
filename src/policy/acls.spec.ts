/** @own-modules This file registers ACLs, which last as long as the modules. */
import fc from 'fast-check';
import { aclDescriptions, acls, grants, inRegistryOrder, isAcl, registerAcl, satisfiesAcl } from './acls.js';

const OURS =
  `* acl:set:user admin_api_key:manage application:lookup application:list:by_owner application:transfer_ownership
  audit_log:view admin:authenticate ban:ip:add ban:ip:check ban:ip:remove instance:config:update instance:config:view
  user:delete user:disable:suspicious user:list:sessions user:lookup user:view:email user:view:ip user:temp_ban
  user:update:email user:update:flags user:update:mfa user:update:phone user:update:sso user:update:suspicious_activity
  user:update:traits`.split(/\s+/);

const some = fc.uniqueArray(fc.constantFrom(...OURS.slice(1)), { maxLength: 4 });

describe('admin.md 2.1: ACLs', () => {
  test('the registry holds exactly what the contract names, in its order', () => {
    expect(acls()).toEqual(OURS);
    expect(aclDescriptions()).toEqual({});
  });

  test('an ACL is granted by its name or by the literal wildcard, and by nothing that looks like either', () => {
    expect(grants(['user:lookup'], 'user:lookup')).toBe(true);
    expect(grants(['*'], 'user:lookup')).toBe(true);
    for (const held of [[], ['user:*'], ['user'], ['USER:LOOKUP'], ['user:lookup '], ['**'], ['user:look']])
      expect(grants(held, 'user:lookup')).toBe(false);
    expect(grants(['user:lookup'], '*')).toBe(false);
  });

  test('any of several is met by one of them, all only by each', () => {
    fc.assert(
      fc.property(some, some, fc.boolean(), (names, demanded, isAll) => {
        const held = isAll ? [...names, '*'] : names;
        const has = (acl: string) => isAll || names.includes(acl);
        expect(satisfiesAcl(held, { mode: 'any', acls: demanded })).toBe(demanded.some(has));
        expect(satisfiesAcl(held, { mode: 'all', acls: demanded })).toBe(demanded.every(has));
      }),
    );
  });

  test('a list is put into the order of the registry, what it does not know behind', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(OURS), (list) => {
        expect(inRegistryOrder([...list, 'gone:b', 'gone:a'])).toEqual([
          ...OURS.filter((acl) => list.includes(acl)),
          'gone:b',
          'gone:a',
        ]);
      }),
    );
  });

  test('a team adds its own, with words, once', () => {
    const words = { 'en-US': 'remove notes of others' };
    registerAcl('notes:moderate', words);
    expect([isAcl('notes:moderate'), acls().at(-1)]).toEqual([true, 'notes:moderate']);
    expect(aclDescriptions()).toEqual({ 'notes:moderate': words });
    expect(Object.isFrozen(aclDescriptions()['notes:moderate'])).toBe(true);
    expect(inRegistryOrder(['notes:moderate', 'user:lookup'])).toEqual(['user:lookup', 'notes:moderate']);
    expect(() => registerAcl('notes:moderate', words)).toThrow('the ACL notes:moderate cannot be added');
  });

  test.each([
    'user:lookup',
    '*',
    '',
    'notes',
    'notes:',
    ':notes',
    'notes::read',
    'Notes:read',
    'notes:read ',
    ' notes:read',
    'notes:read\n',
    'notes:re-ad',
    'notes:*',
    `notes:${'a'.repeat(59)}`,
  ])('%j is refused, and nothing is added', (acl) => {
    const before = [...acls()];
    expect(() => registerAcl(acl, { 'en-US': 'do something' })).toThrow(`the ACL ${acl} cannot be added`);
    expect(acls()).toEqual(before);
  });

  test('64 characters and three parts are taken; without words nothing is', () => {
    const longest = `notes:a:${'a'.repeat(56)}`;
    registerAcl(longest, { 'en-US': 'do something' });
    expect(isAcl(longest)).toBe(true);
    expect(() => registerAcl('notes:silent', {} as never)).toThrow('the ACL notes:silent has no words in en-US');
    expect(isAcl('notes:silent')).toBe(false);
  });
});
