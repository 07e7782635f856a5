import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsInt, IsString, MaxLength, ValidateNested } from 'class-validator';
import { boundOf, field, Int, OneOf, Text, validateShape } from './input.js';
import { isDeclared } from './input-members.js';

describe('conventions.md 6: shapes', () => {
  class Base {
    @Text({ max: 3 }) a!: string;
  }
  class Derived extends Base {
    @Int({ min: 0, max: 9, optional: true }) b?: number = 5;
  }
  class Plain {}

  test('members without a rule are dropped, and defaults replace missing members', () => {
    expect({ ...validateShape(Derived, { a: 'x', c: 1, constructor: 2 }).instance }).toEqual({ a: 'x', b: 5 });
    expect({ ...validateShape(Derived, { a: 'x', b: 7 }).instance }).toEqual({ a: 'x', b: 7 });
    expect(validateShape(Derived, { a: 'x', b: undefined }).instance.b).toBe(5);
    expect(validateShape(Derived, { a: 'x' }).instance).toBeInstanceOf(Derived);
  });

  test('a value that is not an object has no members', () => {
    for (const value of [null, undefined, 'a', 1]) {
      expect(validateShape(Derived, value).faults).toEqual([{ path: 'a', code: 'INVALID_FORMAT' }]);
    }
  });

  test('rules are inherited, with their limits', () => {
    expect(
      validateShape(Derived, { a: 'abcd', b: 10 })
        .faults.map(({ path, code }) => [path, code])
        .sort(),
    ).toEqual([
      ['a', 'CONTENT_EXCEEDS_MAX_LENGTH'],
      ['b', 'INVALID_FORMAT'],
    ]);
    expect([boundOf(Derived, 'a'), boundOf(Derived, 'b'), boundOf(Derived, 'c')]).toEqual([6, 40, undefined]);
    class Choice {
      @OneOf(['a', 'bcd']) a!: string;
    }
    expect(boundOf(Choice, 'a')).toBe(3);
    class Wide {
      a?: unknown;
    }
    field({ description: {} }, () => undefined)(Wide.prototype, 'a');
    expect(boundOf(Wide, 'a')).toBe(4096);
  });

  test('a class is declared once it has a rule', () => {
    expect([isDeclared(Derived), isDeclared(Base), isDeclared(Plain)]).toEqual([true, true, false]);
  });

  test('a class without rules rejects nothing, and keeps nothing', () => {
    const { instance, faults } = validateShape(Plain, { a: 1 });
    expect([{ ...instance }, faults]).toEqual([{}, []]);
  });

  test('class-validator rules work in extensions: nested, with our codes, and without undeclared members', () => {
    class Part {
      @IsInt() size!: number;
      @IsString() kind = 'plain';
    }
    class Team {
      @Text({ max: 3 }) a!: string;
      @IsString() @MaxLength(2) name!: string;
      @ValidateNested({ each: true }) @Type(() => Part) parts: Part[] = [];
      @IsString() note = 'none';
    }
    const reported = (value: unknown) =>
      validateShape(Team, value)
        .faults.map(({ path, code }) => `${path}: ${code}`)
        .sort();
    const { instance, faults } = validateShape(Team, {
      a: 'x',
      name: 'ab',
      parts: [{ size: 1, colour: 'red' }],
      odd: 1,
    });
    expect(faults).toEqual([]);
    expect(instance.parts[0]).toBeInstanceOf(Part);
    expect({ ...instance, parts: instance.parts.map((part) => ({ ...part })) }).toEqual({
      ...{ a: 'x', name: 'ab', note: 'none' },
      parts: [{ size: 1, kind: 'plain' }],
    });
    expect(validateShape(Team, { a: 'x', name: 'ab', note: undefined }).instance.note).toBe('none');
    expect(reported({ a: 'x', name: 'abc' })).toEqual(['name: CONTENT_EXCEEDS_MAX_LENGTH']);
    expect(reported({ a: 'x' })).toHaveLength(1);
    expect(reported({ a: 'abcd', name: 'ab', parts: [{ size: 1 }, { size: 'x' }] })).toEqual([
      'a: CONTENT_EXCEEDS_MAX_LENGTH',
      'parts.1.size: INVALID_FORMAT',
    ]);
    expect(reported({ a: 'x', name: [] })).toHaveLength(1);
  });

  test('a rule applies regardless of its group', () => {
    class Grouped {
      @IsString({ groups: ['later'] }) a!: string;
    }
    expect(isDeclared(Grouped)).toBe(true);
    expect(validateShape(Grouped, { a: 1 }).faults.map(({ path, code }) => [path, code])).toEqual([
      ['a', 'INVALID_FORMAT'],
    ]);
  });
});
