import { settings } from '../core/config/declared.js';
import type { Cidr, SettingsReader } from '../core/config/reader.js';
import { InstanceSettings } from '../platform/settings/instance.settings.js';
import { LIMITS_SECTION } from '../platform/settings/limits.settings.js';

const COUNT_RANGE: readonly [number, number] = [1, 1000000];

/**
 * Rejects a range of all addresses: every client could choose its own IP address, so limits, bans and allowed networks
 * would not work.
 */
function trustedProxies(read: SettingsReader): Cidr[] {
  const about = 'Trusted proxies, as IP addresses or CIDR ranges, whose X-Forwarded-For is used';
  const proxies = read.cidrs('TRUSTED_PROXIES', about);
  if (proxies.some(([, length]) => length === 0)) {
    read.fault(
      'TRUSTED_PROXIES',
      'must not contain every IP address, because clients could then forge their IP address',
    );
  }
  return proxies;
}

/** Whether a trace collector is configured. The OpenTelemetry SDK reads its variables itself. */
function readTracing(read: SettingsReader): boolean {
  const endpoints = [
    read.url(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'URL of the collector of OpenTelemetry traces (OTLP over HTTP, JSON). Other standard variables also work, for example OTEL_SERVICE_NAME and OTEL_TRACES_SAMPLER',
      undefined,
      ['http:', 'https:'],
    ),
    read.url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'URL of the collector, including the path', undefined, [
      'http:',
      'https:',
    ]),
  ];
  return !read.bool('OTEL_SDK_DISABLED', 'Turn off traces', false) && endpoints.some((url) => url !== undefined);
}

/** Origins that may call the API, and proxies that name the client. */
export class OriginSettings extends settings('The service', (read) => {
  const corsOrigins = read.origins(
    'CORS_ORIGINS',
    'Origins whose pages may call the API. Unset: the origin of WEB_APP_URL',
  );
  return {
    corsOrigins: corsOrigins.length ? corsOrigins : [new URL(read.of(InstanceSettings).webAppUrl).origin],
    trustedProxies: trustedProxies(read),
  };
}) {}

/** Capacity limits of requests. */
export class LoadSettings extends settings(LIMITS_SECTION, (read) => ({
  maxInFlight: read.int('MAX_IN_FLIGHT', 'Maximum number of parallel requests. More get 503', 512, COUNT_RANGE),
  transfers: {
    bodies: read.int('MAX_BODIES', 'Maximum number of requests that wait for their bodies', 4096, COUNT_RANGE),
    bodiesPerAddress: read.int('MAX_BODIES_PER_ADDRESS', 'Maximum per IP address', 64, COUNT_RANGE),
    bodiesPerAccount: read.int('MAX_BODIES_PER_ACCOUNT', 'Maximum per account', 32, COUNT_RANGE),
    downloads: read.int(
      'MAX_DOWNLOADS',
      'Maximum number of connections whose clients have not read their responses, for example downloads',
      4096,
      COUNT_RANGE,
    ),
    downloadsPerAddress: read.int('MAX_DOWNLOADS_PER_ADDRESS', 'Maximum per IP address', 128, COUNT_RANGE),
  },
  maxLoopDelayMs: read.int(
    'MAX_LOOP_DELAY_MS',
    'Delay of the event loop in milliseconds above which requests get 503. 0: never',
    1000,
    [0, 600000],
  ),
})) {}

/** How long requests and connections may stay. */
export class ConnectionSettings extends settings('Operation', (read) => ({
  drainSeconds: read.int(
    'DRAIN_SECONDS',
    'Seconds after SIGTERM for which /health/ready fails and requests are still served, so that load balancers notice. Not with the embedded database, because no other process can take over',
    5,
    [0, 600],
  ),
  shutdownSeconds: read.int(
    'SHUTDOWN_SECONDS',
    'Seconds that running requests have to finish after DRAIN_SECONDS',
    25,
    [0, 600],
  ),
  keepAliveSeconds: read.int(
    'KEEP_ALIVE_SECONDS',
    'Seconds for which an idle HTTP connection stays open. Must be longer than in the load balancer, for example 620 for Google Cloud',
    65,
    [1, 3600],
  ),
})) {}

/** Traces and slow requests. */
export class TracingSettings extends settings('Operation', (read) => ({
  tracing: readTracing(read),
  slowRequestMs: read.int('SLOW_REQUEST_MS', 'Milliseconds after which a slow request is logged', 1000, [1, 600000]),
})) {}
