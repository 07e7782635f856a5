/** @own-modules This file registers scopes, which last as long as the modules. */
import { isScope, parseScopes, registerScope, scopeDescriptions, scopes } from './scopes.js';

describe('oauth.md 2: scopes', () => {
  test('the registry holds exactly what the contract names, in its order', () => {
    expect(scopes()).toEqual(['identify', 'email', 'bot']);
    expect(scopeDescriptions()).toEqual({});
  });

  test.each([
    ['identify', ['identify']],
    ['email identify', ['identify', 'email']],
    ['bot+email+identify', ['identify', 'email', 'bot']],
    ['  email  ++ email ', ['email']],
    ['', null],
    [' + ', null],
    ['Identify', null],
    ['identify,email', null],
    ['identify\temail', null],
    ['identify email nothing', null],
    ['nothing', null],
  ])('%j is %j', (text, expected) => {
    expect(parseScopes(text)).toEqual(expected);
  });

  test('a team adds its own, with words, once', () => {
    const words = { 'en-US': 'see your notes' };
    registerScope('notes.read', words);
    expect([isScope('notes.read'), scopes().at(-1)]).toEqual([true, 'notes.read']);
    expect(parseScopes('notes.read bot')).toEqual(['bot', 'notes.read']);
    expect(scopeDescriptions()).toEqual({ 'notes.read': words });
    expect(Object.isFrozen(scopeDescriptions()['notes.read'])).toBe(true);
    expect(() => registerScope('notes.read', words)).toThrow('the scope notes.read cannot be added');
  });

  // RFC 6749 section 3.3: %x21 / %x23-5B / %x5D-7E.
  test.each(['identify', '', 'a b', 'a"b', 'a\\b', 'a\nb', 'a\u007f', 'ä', ' a', 'a '])(
    '%j is refused, and nothing is added',
    (scope) => {
      const before = [...scopes()];
      expect(() => registerScope(scope, { 'en-US': 'see something' })).toThrow(`the scope ${scope} cannot be added`);
      expect(scopes()).toEqual(before);
    },
  );

  test('the bounds of the alphabet are taken; without words nothing is', () => {
    for (const scope of ['!', '#', '[', ']', '~']) {
      registerScope(scope, { 'en-US': 'see something' });
      expect(isScope(scope)).toBe(true);
    }
    expect(() => registerScope('silent', {} as never)).toThrow('the scope silent has no words in en-US');
    expect(isScope('silent')).toBe(false);
  });
});
