import { defineFeature } from '../policy/feature.js';
import { HttpModule } from './http.module.js';
import { ConnectionSettings, LoadSettings, OriginSettings, TracingSettings } from './http.settings.js';

/** Requests and responses: the general errors, which every feature uses. */
export const http = defineFeature('http', {
  modules: [HttpModule],
  settings: [OriginSettings, LoadSettings, ConnectionSettings, TracingSettings],
  errors: {
    INVALID_FORM_BODY: [400, 'The request has invalid members. See `errors`.'],
    BAD_REQUEST: [400, 'The request is malformed.'],
    UNAUTHORIZED: [401, 'A valid credential is required.'],
    ACCESS_DENIED: [403, 'This credential is not allowed to use this operation.'],
    FEATURE_TEMPORARILY_DISABLED: [403, 'The feature is turned off.'],
    FORBIDDEN: [403, 'The request is not allowed.'],
    NOT_FOUND: [404, 'Not found.'],
    GONE: [410, 'The resource is gone.'],
    PAYLOAD_TOO_LARGE: [413, 'The body is too large. Send a smaller one.'],
    UNSUPPORTED_MEDIA_TYPE: [415, 'The content type is not supported.'],
    RANGE_NOT_SATISFIABLE: [416, 'The range is outside of the file.'],
    RATE_LIMITED: [429, 'Too many requests.'],
    CONFLICT: [409, 'The resource is in use. Try again.'],
    INTERNAL_SERVER_ERROR: [500, 'Internal error. Include the request ID in support requests.'],
    BAD_GATEWAY: [502, 'An external server failed.'],
    SERVICE_UNAVAILABLE: [503, 'The service is temporarily unavailable. Try again later.'],
    GATEWAY_TIMEOUT: [504, 'An external server did not respond in time.'],
  },
  fieldErrors: {
    INVALID_FORMAT: 'The value is invalid.',
    CONTENT_EXCEEDS_MAX_LENGTH: 'The value is too long. Shorten it.',
    STRING_LENGTH_EXACT: 'The value has the wrong length.',
    EMAIL_LENGTH_INVALID: 'Email address must be 1 to 254 characters.',
    INVALID_EMAIL_FORMAT: 'The email address is invalid.',
    INVALID_EMAIL_LOCAL_PART: 'The part of the email address before the @ is invalid.',
    INVALID_URL_FORMAT: 'The URL is invalid.',
    URL_NOT_PUBLICLY_ROUTABLE: 'The URL does not lead to a public IP address.',
    INVALID_SNOWFLAKE_FORMAT: 'The ID is invalid.',
    SNOWFLAKE_OUT_OF_RANGE: 'The ID is out of range.',
  },
  metrics: {
    gatehouse_http_request_seconds: {
      type: 'histogram',
      help: 'Duration of HTTP requests by route template and policy',
      labels: { method: 'any', route: 'any', policy: 'any', status: 'any' },
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    },
    gatehouse_shed_total: {
      type: 'counter',
      help: 'Work rejected because a queue was full',
      labels: { queue: 'any' },
    },
    gatehouse_refusals_total: { type: 'counter', help: 'Error responses by code', labels: { code: 'any' } },
    gatehouse_request_count_corrections_total: {
      type: 'counter',
      help: 'Request counts that differed from the live requests and were corrected',
      labels: { count: 'any' },
    },
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
