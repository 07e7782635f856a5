import type { CompilerMessage } from '../core/compiler-message.js';

/** `boolean` if a helper passes the option on, so that the compiler does not know its value. */
type OptionOf<O, N extends string> = N extends keyof O ? O[N] : false;

type Presence<O, M> =
  OptionOf<O, 'optional'> extends true
    ? undefined extends M
      ? unknown
      : CompilerMessage<'The rule is optional. Write ? after the name of the member'>
    : OptionOf<O, 'optional'> extends false
      ? undefined extends M
        ? CompilerMessage<'The member is optional. Add optional: true to its rule, or remove the ?'>
        : unknown
      : unknown;

type Nullability<O, M> = O extends { nullable: true }
  ? null extends M
    ? unknown
    : CompilerMessage<'The rule is nullable. Add null to the type of the member'>
  : unknown;

type Value<V, M> =
  NonNullable<M> extends V
    ? unknown
    : [V] extends [NonNullable<M>]
      ? unknown
      : CompilerMessage<'The rule produces values of another type than that of the member'>;

/** Without `strictNullChecks`, and for members of any type, the compiler cannot tell which values are allowed. */
type Checked<V, O, M> = undefined extends string
  ? unknown
  : unknown extends M
    ? unknown
    : Presence<O, M> & Nullability<O, M> & Value<V, M>;

type MemberOf<T, K, V, O> = K extends keyof T ? Checked<V, O, T[K]> : unknown;

/**
 * The decorator of a member of an input class, with values of type `V` and the options `O`. The compiler checks the type
 * of the member against both.
 */
export type FieldDecorator<V, O> = <T extends object, K extends string | symbol>(
  target: T,
  key: K & MemberOf<T, K, V, O>,
) => void;
