import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { Registration } from './libraries.js';

/** The content of the session cookie. */
type Token = Record<string, unknown>;

export interface AuthConfig {
  readonly secret: string;
  readonly trustHost: boolean;
  readonly basePath: string;
  readonly logger: Record<'error' | 'warn' | 'debug', () => void>;
  readonly providers: readonly {
    readonly id: string;
    readonly name: string;
    readonly type: 'oauth';
    readonly clientId: string;
    readonly clientSecret: string;
    readonly issuer: string;
    readonly authorization: { readonly url: string; readonly params: Record<string, string> };
    readonly token: string;
    readonly userinfo: string;
    readonly checks: readonly ('pkce' | 'state')[];
    profile(claims: Record<string, string>): Record<string, string | undefined>;
  }[];
  readonly callbacks: {
    /** `account` has the tokens. It is set only at sign-in. */
    jwt(given: { token: Token; account?: Token | null }): Promise<Token>;
    session(given: { session: object; token: Token }): object;
  };
}

// The types of the package include those of a browser, which would then apply to all files.
const PACKAGE: string = '@auth/core';
const { Auth } = (await import(PACKAGE)) as { Auth(request: Request, config: AuthConfig): Promise<Response> };

/** The name of the service in the URLs of Auth.js. */
const PROVIDER = 'gatehouse';

/** The members that the application keeps in the cookie. */
interface Kept extends Token {
  readonly access_token: string;
  readonly refresh_token: string;
  /** In seconds. */
  readonly expires_at: number;
  readonly error?: string | undefined;
}

/** The tokens are here for the tests. A real application does not expose them to the page. */
export interface SessionOfAuthJs {
  readonly user?: { readonly name?: string; readonly email?: string };
  readonly access_token: string;
  readonly refresh_token: string;
  readonly error?: string;
}

export type Refresh = (url: string, init: RequestInit) => Promise<Response>;

/** Auth.js, with the refresh from its guide "Refresh Token Rotation". */
export class SiteOfAuthJs {
  /** Where a rejected sign-in leads to. */
  readonly rejection: RegExp = /\/auth\/error\?error=Configuration$/;
  private readonly server = createServer((request, response) => void this.serve(request, response));
  private config: AuthConfig | undefined;
  private aheadMs = 0;
  url = '';
  /** How the application sends a refresh. */
  send: Refresh = fetch;
  /** Status and body of each refresh that the application read. */
  refreshes: { status: number; body: Record<string, unknown> }[] = [];

  async listen(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return `${this.url}/auth/callback/${PROVIDER}`;
  }

  use({ origin, id, secret }: Registration): void {
    this.config = {
      secret: 'a secret of the application, of 32 characters or more',
      trustHost: true,
      basePath: '/auth',
      logger: { error() {}, warn() {}, debug() {} },
      providers: [
        {
          ...{ id: PROVIDER, name: 'Gatehouse', type: 'oauth', clientId: id, clientSecret: secret },
          // Without this Auth.js rejects the parameter `iss` of the redirect.
          issuer: origin,
          authorization: { url: `${origin}/v1/oauth2/authorize`, params: { scope: 'identify email' } },
          token: `${origin}/v1/oauth2/token`,
          userinfo: `${origin}/v1/oauth2/userinfo`,
          checks: ['pkce', 'state'],
          profile: ({ sub, username, email }) => ({ id: sub, name: username, email }),
        },
      ],
      callbacks: {
        jwt: async ({ token, account }) => {
          if (account) {
            const { access_token, refresh_token, expires_at } = account;
            return { ...token, access_token, refresh_token, expires_at } as Kept;
          }
          const kept = token as Kept;
          if (Date.now() + this.aheadMs < kept.expires_at * 1000) return kept;
          return this.refreshed(kept, { origin, id, secret });
        },
        session: ({ session, token }) => {
          const { access_token, refresh_token, error } = token as Kept;
          return { ...session, access_token, refresh_token, error };
        },
      },
    };
  }

  private async refreshed(kept: Kept, { origin, id, secret }: Registration): Promise<Kept> {
    try {
      const response = await this.send(`${origin}/v1/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{ client_id: id, client_secret: secret },
          ...{ grant_type: 'refresh_token', refresh_token: kept.refresh_token },
        }),
      });
      const body = (await response.json()) as Record<string, unknown>;
      this.refreshes.push({ status: response.status, body });
      if (!response.ok) throw body;
      return {
        ...kept,
        access_token: String(body.access_token),
        expires_at: Math.floor((Date.now() + this.aheadMs) / 1000 + Number(body.expires_in)),
        refresh_token: String(body.refresh_token ?? kept.refresh_token),
        error: undefined,
      };
    } catch {
      return { ...kept, error: 'RefreshTokenError' };
    }
  }

  protected get configured(): AuthConfig {
    if (!this.config) throw new Error('use() comes first');
    return this.config;
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const hasBody = request.method === 'POST';
    const answer = await Auth(
      new Request(this.url + request.url, {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        ),
        ...(hasBody ? { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' } : {}),
      } as RequestInit),
      this.configured,
    );
    for (const [name, value] of answer.headers) response.appendHeader(name, value);
    response.writeHead(answer.status).end(await answer.text());
  }

  /** A page that the server renders. It reads the session from the cookies of the request, and cannot set any. */
  async render(cookies: string): Promise<SessionOfAuthJs> {
    const headers = { cookie: cookies };
    const response = await Auth(new Request(`${this.url}/auth/session`, { headers }), this.configured);
    return (await response.json()) as SessionOfAuthJs;
  }

  /** Moves the clock of the application past the expiration of each access token that it has. */
  expireAccess(): void {
    this.aheadMs += 30 * 86_400_000;
  }

  /** Restores the state before the first request. */
  reset(): void {
    this.aheadMs = 0;
    this.send = fetch;
    this.refreshes = [];
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

/** A browser that visits the application. Its tabs share the cookies. */
export class BrowserOfAuthJs {
  private readonly jar = new Map<string, string>();

  constructor(private readonly site: SiteOfAuthJs) {}

  get cookies(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private async visit(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = { cookie: this.cookies };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; */);
      const [name = ''] = pair.split('=', 1);
      if (attributes.includes('Max-Age=0')) this.jar.delete(name);
      else this.jar.set(name, pair.slice(name.length + 1));
    }
    return response;
  }

  /** Presses the button "Sign in with Gatehouse". @returns the URL that it leads to */
  async begin(): Promise<URL> {
    const { csrfToken } = (await (await this.visit(`${this.site.url}/auth/csrf`)).json()) as { csrfToken: string };
    const response = await this.visit(`${this.site.url}/auth/signin/${PROVIDER}`, {
      method: 'POST',
      body: new URLSearchParams({ csrfToken, callbackUrl: this.site.url }),
    });
    return new URL(response.headers.get('location') ?? '');
  }

  /** @returns the URL that the application redirects to after it has redeemed the code */
  async comeBack(url: URL): Promise<string | null> {
    return (await this.visit(url.href)).headers.get('location');
  }

  /** The request that a tab sends when it gets the focus. @returns null if there is no session */
  async session(): Promise<SessionOfAuthJs | null> {
    const found = (await (await this.visit(`${this.site.url}/auth/session`)).json()) as SessionOfAuthJs | null;
    // `next-auth` 4 returns an empty object.
    return found?.access_token ? found : null;
  }
}
