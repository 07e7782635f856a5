/** A service that uses `@gatehouse-auth/verify`. Its build is in the folder `VERIFY`. Prints its port. */
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const { gatehouse } = await import(pathToFileURL(`${process.env.VERIFY}/adapters/node.js`).href);
const { GATEHOUSE_URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, MAX_KEPT, TIMEOUT_MS } = process.env;
const auth = gatehouse({
  ...{ url, clientId, clientSecret, maxKept: Number(MAX_KEPT), timeoutMs: Number(TIMEOUT_MS) },
  address: (request) => request.headers['x-test-address'],
});

const json = (response, value) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};

const server = createServer((request, response) => {
  if (request.url === '/metrics') {
    const { streamLosses: stream_losses, lagSeconds: lag_seconds, ...others } = auth.metrics();
    json(response, { ...others, stream_losses, lag_seconds });
    return;
  }
  auth.middleware(request.url.slice(1))(request, response, () => json(response, auth.caller(request)));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
