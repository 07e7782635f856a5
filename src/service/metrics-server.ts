import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { addressIsIn } from '../core/address.js';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { Log } from '../core/log.js';
import { MetricsReader } from '../core/metrics.js';
import { FeatureRegistry } from '../policy/feature-registry.js';

/** Serves only `/metrics`, on the separate port `METRICS_PORT`, to the IP addresses in `METRICS_ALLOW`. */
export async function serveMetrics(app: INestApplication): Promise<Server | undefined> {
  const { metricsPort, metricsAllow, host } = app.get(Config);
  if (metricsPort === undefined) return undefined;
  const metrics = app.get(MetricsReader);
  const log = app.get(Log);
  const notFound = app.get(FeatureRegistry).describe(new ApiError('NOT_FOUND')).body;
  const respond = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const isAllowed = addressIsIn(req.socket.remoteAddress ?? '', metricsAllow);
    const isKnown = req.method === 'GET' && req.url === '/metrics' && isAllowed;
    res.statusCode = isKnown ? 200 : 404;
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Content-Type', isKnown ? metrics.contentType : 'application/json; charset=utf-8');
    res.end(isKnown ? await metrics.text() : JSON.stringify(notFound));
  };
  const server = createServer((req, res) => {
    respond(req, res).catch((error) => {
      log.error('sending metrics failed', { error });
      res.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(metricsPort, host, resolve);
  });
  return server;
}
