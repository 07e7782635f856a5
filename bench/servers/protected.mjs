/** A service that responds with a small JSON body, and authenticates its callers by `KIND`. */
import { Agent, createServer, request as send } from 'node:http';
import { gatehouse } from '../../verify/dist/adapters/node.js';

const { KIND, GATEHOUSE_URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, POLICY, PORT } = process.env;
const body = JSON.stringify({ id: '1573653208159485952', name: 'A document', size: 1393 });
const agent = new Agent({ keepAlive: true });
const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

function respond(response) {
  response.setHeader('Content-Type', 'application/json');
  response.end(body);
}

/** Asks Gatehouse, and responds if the status of its response is 200. */
function ask(path, options, form, response) {
  const asked = send(`${url}${path}`, { agent, ...options }, (answer) => {
    answer.resume().on('end', () => {
      if (answer.statusCode === 200) respond(response);
      else response.writeHead(401).end();
    });
  });
  asked.on('error', () => response.writeHead(503).end());
  asked.end(form);
}

const auth = gatehouse({ url, clientId, clientSecret });
const middleware = auth.middleware(POLICY);
const HANDLERS = {
  bare: (_request, response) => respond(response),
  verify: (request, response) => middleware(request, response, () => respond(response)),
  forward: ({ headers: { authorization } }, response) =>
    ask(`/v1/forward-auth/${POLICY}`, { headers: { authorization } }, undefined, response),
  introspection({ headers: { authorization } }, response) {
    const headers = { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' };
    ask('/v1/oauth2/introspect', { method: 'POST', headers }, `token=${authorization}`, response);
  },
};

createServer((request, response) => {
  if (request.url === '/health/ready') response.end();
  else HANDLERS[KIND](request, response);
}).listen(Number(PORT), '127.0.0.1', () => process.send?.('ready'));
