/** A response that cannot be derived from the return type: it has no body, or a body that is not built-in JSON. */
export interface ApiResponse {
  /** Default: the status of the route. */
  readonly status?: number;
  /** Media types, with `*` for any; none if there is no body. */
  readonly type?: string | readonly string[];
  /** Headers that other responses do not have. */
  readonly headers?: readonly string[];
  readonly description?: string;
}

/** A body that the handler reads itself. */
export interface RequestBody {
  readonly type: string;
  /** JSON Schemas of the members, by name. */
  readonly members?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly example?: unknown;
}

const TAKES = Symbol('gatehouse:takes');
const RESPONSES_METADATA = Symbol('gatehouse:answers');

/** Declares the responses that a handler writes itself or returns as text. Multiple decorators add up. */
export const ApiResponses =
  (...responses: readonly ApiResponse[]): MethodDecorator =>
  (_target, _key, descriptor) => {
    const handler = descriptor.value as object;
    Reflect.defineMetadata(RESPONSES_METADATA, [...responses, ...declaredResponses(handler)], handler);
  };

export const declaredResponses = (handler: object): readonly ApiResponse[] =>
  Reflect.getOwnMetadata(RESPONSES_METADATA, handler) ?? [];

/** Declares the bodies that a handler reads itself. */
export const ApiBody =
  (...bodies: readonly RequestBody[]): MethodDecorator =>
  (_target, _key, descriptor) =>
    Reflect.defineMetadata(TAKES, bodies, descriptor.value as object);

export const declaredBodies = (handler: object): readonly RequestBody[] => Reflect.getOwnMetadata(TAKES, handler) ?? [];

const QUERY = Symbol('gatehouse:query');

/** A query parameter that a handler reads itself. */
export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the parameter. */
  readonly schema: object;
  readonly required?: boolean;
}

/** Declares the query parameters that a handler reads itself, if they are not bound to a class. */
export const ApiQuery =
  (...parameters: readonly QueryParameter[]): MethodDecorator =>
  (_target, _key, descriptor) =>
    Reflect.defineMetadata(QUERY, parameters, descriptor.value as object);

export const declaredQuery = (handler: object): readonly QueryParameter[] =>
  Reflect.getOwnMetadata(QUERY, handler) ?? [];
