import { settings } from '../../core/config/declared.js';
import { readWorkers } from './workers.settings.js';

/** The process, its URLs and its name. */
export class InstanceSettings extends settings('The service', (read) => {
  const nodeEnv = read.choice(
    'NODE_ENV',
    'development, test or production. In production, defaults for development are not allowed',
    ['development', 'test', 'production'],
    'development',
  );
  const host = read.text('HOST', 'IP address to listen on', { shown: '127.0.0.1' }) ?? '127.0.0.1';
  const port = read.int('PORT', 'TCP port to listen on', 8080, [0, 65535]);
  const publicOrigin = read.origin(
    'PUBLIC_ORIGIN',
    'Public origin of the service. Used in links and as the OAuth2 issuer, and never taken from a request',
    `http://localhost:${port || 8080}`,
  );
  const webAppUrl = read.url(
    'WEB_APP_URL',
    'Front end to which links in emails and single sign-on lead',
    publicOrigin,
    ['http:', 'https:'],
  );
  const productName = read.name('PRODUCT_NAME', 'Name of the instance in emails, pages and discovery', 64, {
    shown: 'Gatehouse',
  });
  const httpPlatform = read.choice(
    'HTTP_PLATFORM',
    'HTTP framework: express or fastify',
    ['express', 'fastify'],
    'express',
  );
  const workers = readWorkers(read);
  return {
    nodeEnv,
    production: nodeEnv === 'production',
    host,
    port,
    publicOrigin,
    webAppUrl,
    gatewayUrl: `${publicOrigin.replace(/^http/, 'ws')}/gateway`,
    productName: productName ?? 'Gatehouse',
    httpPlatform,
    workers,
  };
}) {}
