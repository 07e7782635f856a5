import { ApiError, fieldError } from '../../core/errors.js';

/** The messages of the OAuth2 error codes (RFC 6749 section 5.2), which are also their `error_description`. */
export const OAUTH_DESCRIPTIONS = {
  invalid_request: 'The OAuth2 request is invalid.',
  invalid_client: 'Client authentication failed.',
  invalid_grant: 'The code or refresh token is invalid or expired.',
  invalid_scope: 'The scope is invalid.',
  unsupported_grant_type: 'The grant type is not supported.',
} as const;

/** An OAuth2 protocol error (oauth.md 1.2, RFC 6749 section 5.2): status 400, or 401 for `invalid_client`. */
export function oauthError(error: keyof typeof OAUTH_DESCRIPTIONS, fields: string[] = []): ApiError {
  const code = error.toUpperCase() as 'INVALID_REQUEST';
  const description = OAUTH_DESCRIPTIONS[error];
  const errors = fields.length ? { errors: fields.map((field) => fieldError(field, 'INVALID_FORMAT')) } : {};
  return new ApiError(code, { error, error_description: description, ...errors });
}
