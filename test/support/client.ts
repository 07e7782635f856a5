import { Exchange } from './exchange.js';

type Sent = { headers?: Record<string, string>; query?: Record<string, string> };

// Members that contain a secret in any request or response.
const SECRET_MEMBER =
  /^(?:password|new_password|token|access_token|refresh_token|email_token|sudo_token|client_secret|code_verifier|ticket|key|secret|poll_secret|completion_code|ceremony_id|nonce|challenge|[a-z]+_proof)$/;

/** An HTTP client of the service. */
export class Client {
  private readonly extra: Record<string, string> = {};
  private localAddress: string | undefined;

  constructor(
    readonly url: string,
    readonly authorization: string | undefined,
    private readonly canaries: string[],
  ) {
    if (authorization) this.remember(authorization.split(' ').pop());
  }

  /** The same client with additional headers on every request. */
  with(headers: Record<string, string>): Client {
    const client = new Client(this.url, this.authorization, this.canaries);
    Object.assign(client.extra, this.extra, headers);
    client.localAddress = this.localAddress;
    return client;
  }

  /** The same client with another IP address, which can be any of `127.0.0.0/8`. */
  from(address: string): Client {
    const client = this.with({});
    client.localAddress = address;
    return client;
  }

  /** The same client with a sudo proof. */
  sudo(proof: string): Client {
    return this.with({ 'x-service-sudo-mode-jwt': proof });
  }

  get(path: string, sent: Sent = {}): Exchange {
    return this.send('GET', path, undefined, sent);
  }

  post(path: string, body?: unknown, sent: Sent = {}): Exchange {
    return this.send('POST', path, body, sent);
  }

  put(path: string, body?: unknown, sent: Sent = {}): Exchange {
    return this.send('PUT', path, body, sent);
  }

  patch(path: string, body?: unknown, sent: Sent = {}): Exchange {
    return this.send('PATCH', path, body, sent);
  }

  delete(path: string, body?: unknown, sent: Sent = {}): Exchange {
    return this.send('DELETE', path, body, sent);
  }

  /** Sends a form, as the OAuth2 token operations require. */
  form(path: string, fields: Record<string, string>, sent: Sent = {}): Exchange {
    for (const [name, value] of Object.entries(fields)) if (SECRET_MEMBER.test(name)) this.remember(value);
    return this.send('POST', path, new URLSearchParams(fields), sent);
  }

  send(method: string, path: string, body?: unknown, { headers = {}, query }: Sent = {}): Exchange {
    const isPlain = body !== undefined && typeof body !== 'string' && !isRaw(body);
    if (isPlain) this.collect(body);
    const request = {
      url: this.url,
      method,
      path: query ? `${path}?${new URLSearchParams(query)}` : path,
      headers: {
        ...(this.authorization !== undefined ? { authorization: this.authorization } : {}),
        ...(isPlain || typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
        ...this.extra,
        ...headers,
      },
      body: isPlain ? JSON.stringify(body) : body,
      localAddress: this.localAddress,
    };
    return new Exchange(request, (received) => this.collect(received));
  }

  private collect(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'string' && SECRET_MEMBER.test(name)) this.remember(member);
      else if (name === 'credentials' && Array.isArray(member)) for (const one of member) this.remember(String(one));
      else this.collect(member);
    }
  }

  private remember(secret: string | undefined): void {
    // A string that is not well-formed Unicode cannot appear in a log in any encoding.
    if (secret && secret.length >= 12 && secret.isWellFormed()) this.canaries.push(secret);
  }
}

const isRaw = (body: unknown): boolean =>
  body instanceof URLSearchParams ||
  body instanceof FormData ||
  body instanceof Uint8Array ||
  body instanceof Blob ||
  body instanceof ReadableStream;
