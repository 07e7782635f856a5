import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { type AuthConfig, type SessionOfAuthJs, SiteOfAuthJs } from './auth-js.js';

/** What Next.js adds to a request of an API route. */
export interface ApiRequest {
  readonly method?: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly cookies: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, string>>;
}

interface NextAuthPackage {
  default(request: ApiRequest, response: object, config: AuthConfig): Promise<void>;
  getServerSession(request: ApiRequest, response: object, config: AuthConfig): Promise<SessionOfAuthJs>;
}

// Its types need the package `next`, which an API route does not.
const { default: NextAuth, getServerSession } = createRequire(import.meta.url)('next-auth') as NextAuthPackage;

export const cookiesOf = (header = ''): Record<string, string> =>
  Object.fromEntries(
    header
      .split('; ')
      .filter(Boolean)
      .map((pair) => [pair.slice(0, pair.indexOf('=')), decodeURIComponent(pair.slice(pair.indexOf('=') + 1))]),
  );

/** Calls a handler as Next.js calls an API route. `mount` is the path above its first segment. */
export async function callApiRoute(
  handler: (request: ApiRequest, response: object) => Promise<void>,
  mount: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const { method, headers } = request;
  const api = Object.assign(response, {
    status: (code: number) => Object.assign(response, { statusCode: code }),
    json: (body: unknown) => void response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body)),
    send: (body: unknown) => void response.end(typeof body === 'string' ? body : JSON.stringify(body)),
  });
  const query = { ...Object.fromEntries(searchParams), nextauth: pathname.slice(mount.length).split('/') };
  const body = Object.fromEntries(new URLSearchParams(await text(request)));
  await handler({ method, headers, query, cookies: cookiesOf(headers.cookie), body }, api);
}

/** The unmodified `next-auth` 4, as an API route of Next.js calls it. */
export class SiteOfNextAuth extends SiteOfAuthJs {
  override readonly rejection = /\/auth\/error\?error=OAuthCallback$/;

  override async listen(): Promise<string> {
    const callback = await super.listen();
    process.env.NEXTAUTH_URL = `${this.url}/auth`;
    return callback;
  }

  protected override async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const handler = (given: ApiRequest, response: object) => NextAuth(given, response, this.configured);
    await callApiRoute(handler, '/auth/', request, response);
  }

  override render(cookies: string): Promise<SessionOfAuthJs> {
    const request = { headers: { host: new URL(this.url).host }, query: {}, cookies: cookiesOf(cookies) };
    return getServerSession(request, { getHeader() {}, setHeader() {} }, this.configured);
  }
}
