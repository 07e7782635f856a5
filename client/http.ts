import { ApiError, type ApiErrorBody, NetworkError } from './api-error.js';

/** The factor that a user enters for sudo mode (account.md 8.1). */
export type SudoFactor =
  | { readonly password: string }
  | { readonly mfa_method: 'totp'; readonly mfa_code: string; readonly password?: string }
  | { readonly mfa_method: 'webauthn'; readonly webauthn_challenge: string; readonly webauthn_response: object };

/** The factors that the account has, as listed in the error response (account.md 8.2). */
export interface SudoMethods {
  readonly has_mfa: boolean;
  /** A code needs the password next to it. */
  readonly password_required?: boolean;
  readonly methods: { readonly totp: boolean; readonly webauthn: boolean; readonly backup_codes: boolean };
}

/** Options of `gatehouse`. */
export interface HttpOptions {
  /** The origin of the service, such as `https://id.example.com`. Not necessary in a page of the service itself. */
  readonly origin?: string;
  /**
   * Returns the value of `Authorization`: a session token, `Bot <token>`, `Bearer <token>` or `Admin <key>`. Called for
   * every request.
   */
  readonly credential?: () => string | undefined;
  /** Asks the user for a factor. If it returns `null`, the request fails with the original error. */
  readonly sudo?: (methods: SudoMethods) => Promise<SudoFactor | null>;
  /**
   * Maximum number of seconds to wait after a 429 response; default 60. If the service asks for more, the request
   * fails. Each request waits at most once.
   */
  readonly maxRetryAfterSeconds?: number;
  /** Headers of every request, such as `X-Service-Client-Properties`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the number of seconds that the client waits before it repeats a request. */
  readonly onWait?: (seconds: number) => void;
  readonly fetch?: typeof fetch;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
/** The paths that have an operation for a method, in the types that `openapi-typescript` generates. */
type Operations<Paths, M extends Method> = {
  [P in keyof Paths]: Paths[P] extends { [key in M]: infer O } ? ([O] extends [undefined] ? never : P) : never;
}[keyof Paths] &
  string;
type Parameters<O, Kind extends string> = O extends { parameters: { [key in Kind]?: infer Given } }
  ? Exclude<Given, undefined>
  : never;
type Content<T> = T extends { content: infer Types } ? Types[keyof Types] : undefined;
type Body<O> = O extends { requestBody?: infer Given } ? Content<Exclude<Given, undefined>> : never;
type SuccessOf<Answers> = {
  [Status in keyof Answers]: Status extends 200 | 201 | 202
    ? Content<Answers[Status]>
    : Status extends 204
      ? undefined
      : never;
}[keyof Answers];

/** The body of a successful response to an operation. */
export type ResponseBody<Paths, P extends keyof Paths, M extends Method> = Paths[P] extends {
  [key in M]: { responses: infer R };
}
  ? SuccessOf<R>
  : never;

type Sent<O> = ([Parameters<O, 'path'>] extends [never] ? { path?: undefined } : { path: Parameters<O, 'path'> }) &
  ([Parameters<O, 'query'>] extends [never] ? { query?: undefined } : { query?: Parameters<O, 'query'> }) &
  ([Body<O>] extends [never] ? { body?: unknown } : { body?: Body<O> }) & {
    headers?: Readonly<Record<string, string>>;
    signal?: AbortSignal;
  };

/** A request without the types of its operation. */
interface Request {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const PROOF_HEADER = 'x-service-sudo-mode-jwt';
const PROOF_MS = 300_000;
const DEFAULT_MAX_RETRY_AFTER_SECONDS = 60;

const sleep = (seconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/**
 * The operations of the service, typed by its OpenAPI document. Successful responses are returned. Everything else is
 * thrown as `ApiError` or `NetworkError`. After a 429 response, the client waits and repeats the request once. If an
 * operation requires sudo mode, the client asks `options.sudo` for a factor. It keeps the proof in memory for its five
 * minutes.
 */
export class Http<Paths> {
  private proof: { readonly value: string; readonly until: number } | undefined;

  constructor(private readonly options: HttpOptions = {}) {}

  get<P extends Operations<Paths, 'get'>>(path: P, sent?: Sent<Paths[P]['get' & keyof Paths[P]]>) {
    return this.send('get', path, sent as Request) as Promise<ResponseBody<Paths, P, 'get'>>;
  }

  post<P extends Operations<Paths, 'post'>>(path: P, sent?: Sent<Paths[P]['post' & keyof Paths[P]]>) {
    return this.send('post', path, sent as Request) as Promise<ResponseBody<Paths, P, 'post'>>;
  }

  put<P extends Operations<Paths, 'put'>>(path: P, sent?: Sent<Paths[P]['put' & keyof Paths[P]]>) {
    return this.send('put', path, sent as Request) as Promise<ResponseBody<Paths, P, 'put'>>;
  }

  patch<P extends Operations<Paths, 'patch'>>(path: P, sent?: Sent<Paths[P]['patch' & keyof Paths[P]]>) {
    return this.send('patch', path, sent as Request) as Promise<ResponseBody<Paths, P, 'patch'>>;
  }

  delete<P extends Operations<Paths, 'delete'>>(path: P, sent?: Sent<Paths[P]['delete' & keyof Paths[P]]>) {
    return this.send('delete', path, sent as Request) as Promise<ResponseBody<Paths, P, 'delete'>>;
  }

  /** Deletes the proof of sudo mode. */
  forgetSudoProof(): void {
    this.proof = undefined;
  }

  /** Sends a request that the OpenAPI document does not describe. @throws ApiError, NetworkError */
  async send(method: Method, path: string, request: Request = {}): Promise<unknown> {
    try {
      return await this.patiently(method, path, request);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'SUDO_MODE_REQUIRED' || !this.options.sudo) throw error;
      this.forgetSudoProof();
      const factor = await this.options.sudo(error.body as unknown as SudoMethods);
      if (factor === null) throw error;
      return this.patiently(method, path, { ...request, body: { ...(request.body as object | undefined), ...factor } });
    }
  }

  private async patiently(method: Method, path: string, request: Request): Promise<unknown> {
    try {
      return await this.once(method, path, request);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error;
      const { retryAfter } = error;
      if (
        retryAfter === undefined ||
        retryAfter > (this.options.maxRetryAfterSeconds ?? DEFAULT_MAX_RETRY_AFTER_SECONDS)
      )
        throw error;
      this.options.onWait?.(retryAfter);
      await sleep(retryAfter, request.signal);
      return this.once(method, path, request);
    }
  }

  private async once(method: Method, path: string, { path: parts = {}, query, body, headers, signal }: Request) {
    const { fetch = globalThis.fetch, origin = '' } = this.options;
    const response = await fetch(`${origin}${filled(path, parts)}${search(query)}`, {
      method: method.toUpperCase(),
      headers: this.headersOf(body, headers),
      ...(body === undefined ? {} : { body: isPlain(body) ? JSON.stringify(body) : (body as RequestInit['body']) }),
      credentials: 'omit',
      redirect: 'manual',
      ...(signal ? { signal } : {}),
    } as RequestInit).catch((cause) => {
      if (signal?.aborted) throw cause;
      throw new NetworkError('the service cannot be reached', { cause });
    });
    const answer = await bodyOf(response);
    this.keepProof(response.headers);
    if (!response.ok) throw new ApiError(response.status, isApiError(answer) ? answer : undefined, response.headers);
    return answer;
  }

  private headersOf(body: unknown, headers: Readonly<Record<string, string>> = {}): Record<string, string> {
    const credential = this.options.credential?.();
    const proof = this.proof && Date.now() < this.proof.until ? this.proof.value : undefined;
    return {
      ...(body !== undefined && isPlain(body) ? { 'content-type': 'application/json' } : {}),
      ...(credential === undefined ? {} : { authorization: credential }),
      ...(proof === undefined ? {} : { [PROOF_HEADER]: proof }),
      ...this.options.headers,
      ...headers,
    };
  }

  private keepProof(headers: Headers): void {
    const value = headers.get(PROOF_HEADER);
    if (value) this.proof = { value, until: Date.now() + PROOF_MS };
  }
}

/** Encodes one segment of a path. Every URL parser would change the path if the text were empty, `.` or `..`. */
function segment(path: string, name: string, text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${path}: ${name} must not be '${text}'`);
  return encodeURIComponent(text);
}

/** Inserts the parameters into a path. A list fills a wildcard, with one segment for each item. */
function filled(path: string, parts: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parts[name];
    if (value === undefined) throw new TypeError(`${path} needs ${name}`);
    return [value]
      .flat()
      .map((part) => segment(path, name, String(part)))
      .join('/');
  });
}

function search(query: Readonly<Record<string, unknown>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  // A list is a repeated parameter.
  const pairs = given.flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)]));
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? '' : `?${text}`;
}

const isPlain = (body: unknown): boolean =>
  Array.isArray(body) || Object.getPrototypeOf(body) === Object.prototype || Object.getPrototypeOf(body) === null;

const isApiError = (value: unknown): value is ApiErrorBody =>
  typeof value === 'object' && value !== null && ('code' in value || 'error' in value);

/** Also `application/problem+json` and other types with the suffix (RFC 6839). */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json(?![\w.+-])/i;

async function bodyOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (response.status === 204 || type === '') return undefined;
  if (JSON_TYPE.test(type)) {
    const text = await response.text();
    return text === '' ? undefined : JSON.parse(text);
  }
  return type.startsWith('text/') ? response.text() : response.blob();
}
