import { settings } from '../../core/config/declared.js';
import { readWorkers } from './workers.settings.js';

/** The process, its URLs and its name. */
export class InstanceSettings extends settings('The service', (read) => {
  const nodeEnv = read.choice(
    'NODE_ENV',
    'development, test or production; production refuses development defaults',
    ['development', 'test', 'production'],
    'development',
  );
  const host = read.text('HOST', 'Address to listen on', { shown: '127.0.0.1' }) ?? '127.0.0.1';
  const port = read.int('PORT', 'Port to listen on', 8080, [0, 65535]);
  const publicOrigin = read.origin(
    'PUBLIC_ORIGIN',
    'Public origin of the service, for generated links and the OAuth2 issuer; never taken from a request',
    `http://localhost:${port || 8080}`,
  );
  const webAppUrl = read.url('WEB_APP_URL', 'Front end that mailed links and single sign-on return to', publicOrigin, [
    'http:',
    'https:',
  ]);
  const productName = read.name('PRODUCT_NAME', 'Name of the instance in mails, pages and discovery', 64, {
    shown: 'Gatehouse',
  });
  const httpPlatform = read.choice('HTTP_PLATFORM', 'express or fastify', ['express', 'fastify'], 'express');
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
