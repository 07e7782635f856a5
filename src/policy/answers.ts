/** An answer that no type tells: one without a body, or with one that is no JSON of ours. */
export interface Answer {
  /** That of the route where nothing else is said. */
  readonly status?: number;
  /** Media types, with `*` for any; none where there is no body. */
  readonly type?: string | readonly string[];
  /** Headers that it carries and others do not. */
  readonly headers?: readonly string[];
  readonly description?: string;
}

/** A body that the handler reads itself. */
export interface Taken {
  readonly type: string;
  /** JSON Schemas of its members, by name. */
  readonly members?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly example?: unknown;
}

const TAKES = Symbol('gatehouse:takes');
const ANSWERS = Symbol('gatehouse:answers');

/** What a handler answers that writes it itself, or returns text. Several decorators add up. */
export const Answers =
  (...answers: readonly Answer[]): MethodDecorator =>
  (_target, _key, descriptor) => {
    const handler = descriptor.value as object;
    Reflect.defineMetadata(ANSWERS, [...answers, ...answersOf(handler)], handler);
  };

export const answersOf = (handler: object): readonly Answer[] => Reflect.getOwnMetadata(ANSWERS, handler) ?? [];

/** The bodies that a handler takes which reads them itself. */
export const Takes =
  (...bodies: readonly Taken[]): MethodDecorator =>
  (_target, _key, descriptor) =>
    Reflect.defineMetadata(TAKES, bodies, descriptor.value as object);

export const takesOf = (handler: object): readonly Taken[] => Reflect.getOwnMetadata(TAKES, handler) ?? [];

const QUERY = Symbol('gatehouse:query');

/** A parameter of the query that a handler reads itself. */
export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema. */
  readonly schema: object;
  readonly required?: boolean;
}

/** The parameters of the query that a handler reads itself, where they are bound to no class. */
export const ReadsQuery =
  (...parameters: readonly QueryParameter[]): MethodDecorator =>
  (_target, _key, descriptor) =>
    Reflect.defineMetadata(QUERY, parameters, descriptor.value as object);

export const queryOf = (handler: object): readonly QueryParameter[] => Reflect.getOwnMetadata(QUERY, handler) ?? [];
