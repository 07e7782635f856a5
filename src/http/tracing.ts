import type { Span } from '@opentelemetry/api';
import { addressIsIn } from '../core/address.js';
import type { Config } from '../core/config/config.js';
import type { Cidr } from '../core/config/reader.js';
import { redactText } from '../core/log.js';
import type { Call } from '../policy/call.js';

const FLUSH_TIMEOUT_MS = 3000;

const PACKAGES = ['core', 'exporter-trace-otlp-http', 'resources', 'sdk-trace-node'].map(
  (name) => `@opentelemetry/${name}`,
);

const loadSdk = () =>
  Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error(`Traces need packages that are not installed: npm install ${PACKAGES.join(' ')}`, { cause });
  });

/** The labels of a finished request. */
interface RequestLabels {
  readonly method: string;
  readonly route: string;
  readonly policy: string;
  readonly status: number;
}

/** The trace ID in `traceparent`, which must not be zero (W3C Trace Context, section 3.2). */
const TRACE_PARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-|$)/;

/**
 * Creates a span for each request. A span contains the same data as a log line. This base class only reads the trace ID.
 * `traceparent` is used only from trusted proxies, because callers can send any value.
 */
export class Tracing {
  constructor(private readonly trustedProxies: readonly Cidr[] = []) {}

  protected isTrusted({ req }: Call): boolean {
    return addressIsIn(req.socket.remoteAddress ?? '', this.trustedProxies);
  }

  begin(call: Call): void {
    const { traceparent } = call.req.headers;
    if (typeof traceparent !== 'string' || !this.isTrusted(call)) return;
    const [, traceId] = TRACE_PARENT.exec(traceparent) ?? [];
    if (traceId !== undefined) call.traceId = traceId;
  }
  end(_call: Call, _served: RequestLabels): void {}
  async close(): Promise<void> {}

  /**
   * Configured by the standard `OTEL_*` variables of the OpenTelemetry SDK. The SDK is loaded only if they name a
   * collector.
   * @throws Error if its packages, which are optional peer dependencies outside the bundle, are not installed
   */
  static async open(config: Config): Promise<Tracing> {
    if (!config.tracing) return new Tracing(config.trustedProxies);
    const [api, core, sdk, otlp, resources] = await loadSdk();
    const named = { 'service.name': 'gatehouse', 'service.version': config.buildId };
    const provider = new sdk.NodeTracerProvider({
      resource: resources
        .resourceFromAttributes(named)
        .merge(resources.detectResources({ detectors: [resources.envDetector] })),
      spanProcessors: [new sdk.BatchSpanProcessor(new otlp.OTLPTraceExporter())],
    });
    const tracer = provider.getTracer('gatehouse');
    const propagator = new core.W3CTraceContextPropagator();
    const spans = new WeakMap<Call, Span>();

    return new (class extends Tracing {
      override begin(call: Call): void {
        const parent = this.isTrusted(call)
          ? propagator.extract(api.ROOT_CONTEXT, call.req.headers, api.defaultTextMapGetter)
          : api.ROOT_CONTEXT;
        const span = tracer.startSpan('request', { kind: api.SpanKind.SERVER }, parent);
        call.traceId = span.spanContext().traceId;
        spans.set(call, span);
      }

      override end(call: Call, { method, route, policy, status }: RequestLabels): void {
        const span = spans.get(call);
        if (!span) return;
        span.updateName(`${method} ${route}`);
        span.setAttributes({
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'gatehouse.policy': policy,
          'gatehouse.request_id': redactText(call.id),
          ...(call.outcome ? { 'gatehouse.outcome': call.outcome } : {}),
        });
        if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
        span.end();
      }

      /** Waits only a few seconds for a collector that is down. */
      override async close(): Promise<void> {
        const late = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_TIMEOUT_MS).unref());
        await Promise.race([provider.shutdown().catch(() => {}), late]);
      }
    })(config.trustedProxies);
  }
}
