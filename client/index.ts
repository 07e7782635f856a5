/**
 * A client of Gatehouse for Node and browsers: the operations, typed by the OpenAPI document of the service, and the
 * real-time gateway. It has no dependencies.
 */
export type { components, operations, paths } from './api.js';
export { ApiError, type ApiErrorBody, type FieldError, NetworkError } from './api-error.js';
export { Gateway, type GatewayEvents, type GatewayOptions, type GatewayState, type SocketLike } from './gateway.js';
export { Http, type HttpOptions, type ResponseBody, type SudoFactor, type SudoMethods } from './http.js';

import type { paths } from './api.js';
import { Http, type HttpOptions } from './http.js';

/**
 * The operations of a service without extensions. For a service with extensions, pass the `paths` of its own OpenAPI
 * document.
 */
export const gatehouse = <Paths = paths>(options: HttpOptions = {}): Http<Paths> => new Http<Paths>(options);
