export { type AssertionOptions, AssertionVerifier, InvalidAssertion } from './assertions.js';
export { AuthError, type ResponseHeaders } from './auth-error.js';
export type { Caller } from './decision.js';
export type { DecisionRequest } from './decision-request.js';
export { type ClientOptions, UnexpectedResponse } from './gatehouse-client.js';
export { type Metrics, Verifier, type VerifierOptions } from './verifier.js';
