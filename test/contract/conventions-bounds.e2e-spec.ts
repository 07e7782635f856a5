import { getMetadataStorage } from 'class-validator';
import { boundOf, validateShape } from '../../src/http/input.js';
import type { Shape } from '../../src/policy/plan.js';
import { Routes } from '../../src/policy/routes.js';
import { membersOf } from '../machine/input-members.js';
import { type Gatehouse, gatehouse } from '../support/index.js';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
});
afterAll(() => service.close());

const KIB = 1024;

/** Characters that are expensive for some converter or pattern. */
const COSTLY = [
  'a',
  '0',
  '=',
  ' ',
  '\u3000',
  '\u0300\u0316',
  '@',
  'a.',
  '-',
  '%',
  '/',
  '_',
  ':',
  'data:image/',
  '\ufdfa',
];

describe('conventions.md 1: lengths are checked before any conversion', () => {
  const shapes = () => [
    ...(getMetadataStorage() as unknown as { validationMetadatas: Map<Shape, unknown> }).validationMetadatas.keys(),
  ];

  /** Calls `work` with a function that measures the longest text that a check passes to a converter or pattern. */
  function watching(work: (longestOf: (check: () => void) => number) => void): void {
    let longest = 0;
    const restore: (() => void)[] = [];
    const watch = <T extends object>(owner: T, name: keyof T & string) => {
      const original = owner[name] as unknown as (...args: unknown[]) => unknown;
      const watched = function (this: unknown, ...args: unknown[]) {
        const text = owner === (RegExp.prototype as unknown as T) ? String(args[0]) : String(this);
        longest = Math.max(longest, text.length);
        return original.apply(this, args);
      };
      Object.defineProperty(owner, name, { value: watched, configurable: true, writable: true });
      restore.push(() => Object.defineProperty(owner, name, { value: original, configurable: true, writable: true }));
    };
    watch(RegExp.prototype, 'exec');
    for (const name of ['normalize', 'trim', 'toLowerCase', 'toUpperCase', 'codePointAt', 'padStart'] as const) {
      watch(String.prototype, name);
    }
    try {
      work((check) => {
        longest = 0;
        check();
        return longest;
      });
    } finally {
      for (const undo of restore) undo();
    }
  }

  test('every input class is known, and every member of one has a bound', () => {
    expect(shapes().length).toBeGreaterThan(60);
    for (const { input } of service.app.get(Routes).all) {
      for (const shape of Object.values(input ?? {})) expect(shapes()).toContain(shape);
    }
    const bounds = shapes().flatMap((shape) =>
      membersOf(shape).map((member) => [`${shape.name}.${member}`, boundOf(shape, member) ?? Number.NaN] as const),
    );
    const wide = bounds.filter(([, bound]) => !(bound <= 8192));
    // Exceptions: members that the operation itself checks, members that are headers elsewhere, and images. Patterns
    // see only the prefix of an image.
    for (const [name] of wide) {
      expect(name).toMatch(
        /^(?:\w+\.(?:avatar|banner|code_challenge|code_challenge_method)|(?:Complete)?Handoff\w*\.(?:code|confirmation)|AuthorizeQuery\.(?:request|request_uri|registration)|CheckAddressPath\.value|CaptchaTestInput\.token|DecisionInput\.(?:authorization|sudo))$/,
      );
    }
  });

  test('no converter and no pattern receives more of a member than its bound', () => {
    const texts = COSTLY.map((pump) => {
      const text = pump.repeat(Math.ceil((256 * KIB) / pump.length));
      return { pump, text, unlike: `${text}!` };
    });
    const seen: [string, string, string, number][] = [];
    let checks = 0;
    watching((longestOf) => {
      for (const shape of shapes()) {
        for (const member of membersOf(shape)) {
          // Patterns see only a prefix and an ending of an image.
          const bound = /avatar|banner/.test(member) ? 256 : (boundOf(shape, member) as number);
          // A converted text may be longer than the text that was sent. Unicode limits the expansion factor to 18.
          const most = Math.max(18 * bound, 64);
          for (const { pump, text, unlike } of texts) {
            for (const value of [text, [text], [text, [text]], { [member]: text }, unlike]) {
              const longest = longestOf(() => void validateShape(shape, { [member]: value }));
              if (longest > most) seen.push([shape.name, member, pump, longest]);
              checks++;
            }
          }
        }
      }
    });
    expect(seen).toEqual([]);
    expect(checks).toBeGreaterThan(60 * 5 * COSTLY.length);
  });

  test('an email address of 256 KiB is too long, whatever its characters', async () => {
    const email = `a${'\u0300\u0316'.repeat(60_000)}`;
    for (const path of ['/v1/auth/login', '/v1/auth/register', '/v1/auth/forgot']) {
      const body = { email, password: 'correct horse', consent: true };
      const response = await service.anonymous.with({ 'x-forwarded-for': '203.0.113.1' }).post(path, body);
      expect([response.status, response.body.errors]).toEqual([
        400,
        [expect.objectContaining({ path: 'email', code: 'EMAIL_LENGTH_INVALID' })],
      ]);
    }
  });
});
