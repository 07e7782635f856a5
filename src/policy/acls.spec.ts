import fc from 'fast-check';
import { featureRegistry } from '../features.js';
import { grants, satisfiesAcl } from './acls.js';

const OURS = [...featureRegistry().acls.keys()];

const some = fc.uniqueArray(fc.constantFrom(...OURS.slice(1)), { maxLength: 4 });

describe('admin.md 2.1: ACLs', () => {
  test('an ACL is granted by its name or by the literal wildcard, and by no similar text', () => {
    expect(grants(['user:lookup'], 'user:lookup')).toBe(true);
    expect(grants(['*'], 'user:lookup')).toBe(true);
    for (const held of [[], ['user:*'], ['user'], ['USER:LOOKUP'], ['user:lookup '], ['**'], ['user:look']])
      expect(grants(held, 'user:lookup')).toBe(false);
    expect(grants(['user:lookup'], '*')).toBe(false);
  });

  test('any of several is met by one of them, all only by all', () => {
    fc.assert(
      fc.property(some, some, fc.boolean(), (names, demanded, isAll) => {
        const held = isAll ? [...names, '*'] : names;
        const has = (acl: string) => isAll || names.includes(acl);
        expect(satisfiesAcl(held, { mode: 'any', acls: demanded })).toBe(demanded.some(has));
        expect(satisfiesAcl(held, { mode: 'all', acls: demanded })).toBe(demanded.every(has));
      }),
    );
  });
});
