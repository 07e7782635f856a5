import type { SettingsReader } from './reader.js';

/** Whether a trace collector is configured. The OpenTelemetry SDK reads its variables itself. */
function readTracing(read: SettingsReader): boolean {
  const endpoints = [
    read.url(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'Collector of OpenTelemetry traces (OTLP over HTTP, JSON); the other standard variables, such as OTEL_SERVICE_NAME, OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER, hold as well',
      undefined,
      ['http:', 'https:'],
    ),
    read.url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'The same with the whole path', undefined, ['http:', 'https:']),
  ];
  return !read.bool('OTEL_SDK_DISABLED', 'Switches traces off', false) && endpoints.some((url) => url !== undefined);
}

/** Settings of the log. */
export function logSettings(read: SettingsReader) {
  return {
    logLevel: read.choice(
      'LOG_LEVEL',
      'trace, debug, info, warn, error or silent',
      ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
      'info',
    ),
    logFormat: read.choice(
      'LOG_FORMAT',
      'json or pretty; unset: pretty on a terminal, else json',
      ['json', 'pretty'],
      process.stdout.isTTY ? 'pretty' : 'json',
      { shown: '' },
    ),
  };
}

/** Settings for operators: shutdown, metrics, log and traces. */
export function operationSettings(read: SettingsReader) {
  read.section('Operation');
  const shutdownSeconds = read.int(
    'SHUTDOWN_SECONDS',
    'How long running requests may finish after SIGTERM',
    25,
    [0, 600],
  );
  const keepAliveSeconds = read.int(
    'KEEP_ALIVE_SECONDS',
    'How long an idle HTTP connection stays open; longer than the load balancer keeps its own, such as 620 behind the one of Google Cloud',
    65,
    [1, 3600],
  );
  const metricsPort = read.int('METRICS_PORT', 'Port of /metrics; unset: the main one', 0, [1, 65535], { shown: '' });
  const loopback = '127.0.0.0/8,::1';
  const metricsAllow = read.cidrs('METRICS_ALLOW', 'Addresses that may read /metrics', { shown: loopback }, loopback);
  return {
    shutdownSeconds,
    keepAliveSeconds,
    metricsPort: read.peek('METRICS_PORT') === undefined ? undefined : metricsPort,
    metricsAllow,
    ...logSettings(read),
    tracing: readTracing(read),
    slowRequestMs: read.int('SLOW_REQUEST_MS', 'Requests slower than this are logged', 1000, [1, 600000]),
  };
}
