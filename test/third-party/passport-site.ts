import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import passport from 'passport';

export interface PassportSite<User> {
  /** Starts a sign-in in a new browser. `redeem` follows the redirect back, and returns the user of the strategy. */
  begin(): Promise<{ readonly url: URL; redeem(back: URL): Promise<User> }>;
  close(): Promise<void>;
}

/** An Express application with passport. Requests with the same `x-visit` come from the same browser. */
export async function passportSite<User>(name: string, strategy: passport.Strategy): Promise<PassportSite<User>> {
  const sessions = new Map<string, object>();
  const thrown: unknown[] = [];
  const app = express();
  app.use((req: Request & { session?: object }, _res, next) => {
    const visit = String(req.headers['x-visit']);
    req.session = sessions.get(visit) ?? {};
    sessions.set(visit, req.session);
    next();
  });
  app.use(new passport.Passport().use(strategy).authenticate(name, { session: false }));
  app.use((req: Request, res: Response) => void res.json(req.user));
  const onError: ErrorRequestHandler = (error, _req, res, _next) => {
    thrown.push(error);
    res.sendStatus(500);
  };
  app.use(onError);
  const server = createServer(app);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let visits = 0;
  return {
    async begin() {
      const headers = { 'x-visit': String(++visits) };
      const sent = await fetch(`${url}/login`, { headers, redirect: 'manual' });
      const redeem = async ({ search }: URL) => {
        const response = await fetch(`${url}/callback${search}`, { headers });
        if (response.status === 500) throw thrown.pop();
        if (response.status !== 200) throw new Error(`passport returned ${response.status}`);
        return (await response.json()) as User;
      };
      return { url: new URL(sent.headers.get('location') ?? ''), redeem };
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
