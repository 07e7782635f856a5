/**
 * A client of Gatehouse for Node and browsers: the operations, typed by the description of the service, and the realtime
 * gateway. It depends on nothing.
 */
export type { components, operations, paths } from './api.js';
export { ApiError, type ApiErrorBody, type FieldError, NetworkError } from './api-error.js';
export { Gateway, type GatewayEvents, type GatewayOptions, type GatewayState, type SocketLike } from './gateway.js';
export { type Answer, Http, type HttpOptions, type SudoFactor, type SudoMethods } from './http.js';

import type { paths } from './api.js';
import { Http, type HttpOptions } from './http.js';

/** The operations of a service with nothing but its own routes; a team passes the paths of its own description. */
export const gatehouse = <Paths = paths>(options: HttpOptions = {}): Http<Paths> => new Http<Paths>(options);
