import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import openid from 'express-openid-connect';
import { CALLBACK } from '../support/index.js';
import type { Registration } from './libraries.js';

export interface ExpressSite {
  /** Starts a sign-in in a new browser. `redeem` follows the redirect back, and returns the claims of the session. */
  begin(): Promise<{ readonly url: URL; redeem(back: URL): Promise<Record<string, unknown>> }>;
  /** Refreshes the tokens of the last sign-in. Returns the claims of the new ID token. */
  refresh(): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const cookiesOf = ({ headers }: Response): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .filter((pair) => !pair.endsWith('='))
    .join('; ');

/** An Express application with express-openid-connect behind a proxy that ends TLS. */
export async function expressSite({ origin, id, secret }: Registration, scope: string): Promise<ExpressSite> {
  const { origin: baseURL, pathname: callback } = new URL(CALLBACK);
  const app = express();
  app.use(
    openid.auth({
      ...{
        issuerBaseURL: origin,
        baseURL,
        clientID: id,
        clientSecret: secret,
        secret: 'a long random value, of 32 bytes',
      },
      ...{ authorizationParams: { response_type: 'code', scope }, routes: { callback }, authRequired: false },
    }) as express.RequestHandler,
  );
  app.get('/claims', (req: express.Request, res: express.Response) => void res.json(req.oidc.idTokenClaims ?? {}));
  app.get('/refresh', async (req: express.Request, res: express.Response) => {
    await req.oidc.accessToken?.refresh();
    res.json(req.oidc.idTokenClaims ?? {});
  });
  app.use(((_error, _req, res, _next) => void res.sendStatus(400)) as express.ErrorRequestHandler);
  const server = createServer(app);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = (path: string, cookie = '') => fetch(site + path, { headers: { cookie }, redirect: 'manual' });
  let session: string;
  const claimsAt = async (path: string) => (await (await open(path, session)).json()) as Record<string, unknown>;
  return {
    async begin() {
      const started = await open('/login');
      return {
        url: new URL(started.headers.get('location') ?? ''),
        // Each response comes to the browser as it was before the sign-in.
        async redeem({ search }) {
          const response = await open(callback + search, cookiesOf(started));
          if (response.status !== 302) throw new Error(`express-openid-connect returned ${response.status}`);
          session = cookiesOf(response);
          return claimsAt('/claims');
        },
      };
    },
    refresh: () => claimsAt('/refresh'),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
