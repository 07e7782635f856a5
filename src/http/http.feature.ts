import { defineFeature } from '../policy/feature.js';
import { ConnectionSettings, LoadSettings, OriginSettings, TracingSettings } from './http.settings.js';

/** Requests and responses: the general errors, which every feature uses. */
export const http = defineFeature('http', {
  settings: [OriginSettings, LoadSettings, ConnectionSettings, TracingSettings],
  errors: {
    INVALID_FORM_BODY: [400, 'The request has invalid fields.'],
    BAD_REQUEST: [400, 'The request is malformed.'],
    UNAUTHORIZED: [401, 'A valid credential is required.'],
    ACCESS_DENIED: [403, 'This credential may not use this operation.'],
    FEATURE_TEMPORARILY_DISABLED: [403, 'The feature is switched off.'],
    FORBIDDEN: [403, 'The request is not allowed.'],
    NOT_FOUND: [404, 'Not found.'],
    GONE: [410, 'The resource is gone.'],
    PAYLOAD_TOO_LARGE: [413, 'The body is too large.'],
    UNSUPPORTED_MEDIA_TYPE: [415, 'The content type is not supported.'],
    RANGE_NOT_SATISFIABLE: [416, 'The range cannot be served.'],
    RATE_LIMITED: [429, 'Too many requests.'],
    CONFLICT: [409, 'The resource is in use.'],
    INTERNAL_SERVER_ERROR: [500, 'Something went wrong.'],
    BAD_GATEWAY: [502, 'A remote server failed.'],
    SERVICE_UNAVAILABLE: [503, 'The service is not available right now.'],
    GATEWAY_TIMEOUT: [504, 'A remote server was too slow.'],
  },
  fieldErrors: {
    INVALID_FORMAT: 'The value is not valid.',
    CONTENT_EXCEEDS_MAX_LENGTH: 'The value is too long.',
    STRING_LENGTH_EXACT: 'The value has the wrong length.',
    EMAIL_LENGTH_INVALID: 'The address has a wrong length.',
    INVALID_EMAIL_FORMAT: 'The address is not valid.',
    INVALID_EMAIL_LOCAL_PART: 'The part before the @ is not valid.',
    INVALID_URL_FORMAT: 'The URL is not valid.',
    URL_NOT_PUBLICLY_ROUTABLE: 'The URL does not lead to a public address.',
    INVALID_SNOWFLAKE_FORMAT: 'The id is not valid.',
    SNOWFLAKE_OUT_OF_RANGE: 'The id is out of range.',
  },
});

declare module '../core/merged.js' {
  interface Features {
    http: typeof http;
  }
}

declare module '../core/config/config.js' {
  interface Config extends OriginSettings, LoadSettings, ConnectionSettings, TracingSettings {}
}
