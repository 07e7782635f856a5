import { Agent, type IncomingMessage } from 'node:http';
import type { Response } from 'supertest';
import { assertDescribed } from './described.js';
import { recordLinks } from './followed-links.js';
import { logOf } from './log-lines.js';
import { SuperTest } from './optional-packages.js';
import { WAIT_TIMEOUT_MS } from './timeouts.js';

/** A response of the service. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body: JSON if the content type is JSON, otherwise text. `undefined` if the body is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of many shapes and assert each of them
  readonly body: any;
  readonly text: string;
}

/** A request, and the loopback IP address that it is sent from. */
export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly localAddress: string | undefined;
}

/** The response that a custom assertion function receives, in supertest's format. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of many shapes and assert each of them
  readonly body: any;
  readonly text: string;
}

type Done = (failure: Error | null, received: Response | undefined) => void;
type Asserting = { assert(failure: Error | null, received: Response | undefined, done: Done): void };

/**
 * supertest runs its assertions when the response arrives. An exchange runs them when it is awaited, because then all
 * expectations are known.
 */
class Request extends SuperTest {
  assert(failure: Error | null, received: Response | undefined, done: Done): void {
    done(failure, received);
  }

  fault(received: Response): Promise<Error | null> {
    return new Promise((resolve) =>
      (SuperTest.prototype as unknown as Asserting).assert.call(this, null, received, resolve),
    );
  }
}

/**
 * A request, which is sent immediately. Awaiting it returns the response. Before that, `expect` adds assertions as in
 * supertest.
 */
export class Exchange implements Promise<TestResponse> {
  readonly [Symbol.toStringTag] = 'Exchange';
  private readonly request: Request;
  private readonly received: Promise<Response>;
  private judged: Promise<TestResponse> | undefined;
  private isAsserted = false;

  /** `look` receives the body of every response, even if an assertion fails later. */
  constructor(
    private readonly sent: SentRequest,
    look: (body: unknown) => void,
  ) {
    const { url, method, path, localAddress } = sent;
    this.request = new Request(url, method, path).agent(connectionsFrom(localAddress));
    // Every status is accepted as a response. Parsing the body in this file takes half the time of supertest's parser.
    this.request
      .ok(() => true)
      .parse(read as never)
      .timeout({ deadline: WAIT_TIMEOUT_MS });
    this.received = receive(this.request, sent, look);
  }

  expect(status: number | readonly number[]): this;
  expect(status: number, body: unknown): this;
  expect(header: string, value: string | number | RegExp): this;
  expect(check: (response: Received) => unknown): this;
  expect(body: string | RegExp | object): this;
  expect(...assertion: unknown[]): this {
    this.request.expect(...(assertion as Parameters<Request['expect']>));
    this.isAsserted = true;
    this.judged = undefined;
    return this;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a request returns its response
  then<Result = TestResponse, Otherwise = never>(
    onAnswer?: ((response: TestResponse) => Result | PromiseLike<Result>) | null,
    onFault?: ((reason: unknown) => Otherwise | PromiseLike<Otherwise>) | null,
  ): Promise<Result | Otherwise> {
    this.judged ??= this.judge();
    return this.judged.then(onAnswer, onFault);
  }

  catch<Otherwise = never>(
    onFault?: ((reason: unknown) => Otherwise | PromiseLike<Otherwise>) | null,
  ): Promise<TestResponse | Otherwise> {
    return this.then(null, onFault);
  }

  finally(onEnd?: (() => void) | null): Promise<TestResponse> {
    return this.then().finally(onEnd);
  }

  private async judge(): Promise<TestResponse> {
    const received = await this.received;
    const response = answerOf(received);
    const fault = await this.request.fault(received);
    if (fault) throw withExchange(fault, this.sent, response);
    // An assertion on the status alone does not know the cause.
    if (response.body?.code === 'INTERNAL_SERVER_ERROR' && !this.isAsserted) reportOnce(this.sent, response);
    return response;
  }
}

/**
 * Shorter than the keep-alive timeout of the service. The service must never be the first to close an idle connection.
 */
const IDLE_MS = 30_000;

/** One agent per local IP address, because the service treats each IP address as another client. */
const connections = new Map<string | undefined, Agent>();

function connectionsFrom(localAddress: string | undefined): Agent {
  const known =
    connections.get(localAddress) ??
    new Agent({ keepAlive: true, timeout: IDLE_MS, ...(localAddress && { localAddress }) });
  connections.set(localAddress, known);
  return known;
}

async function receive(
  request: Request,
  { url, method, path, headers, body }: SentRequest,
  look: (body: unknown) => void,
): Promise<Response> {
  if (body instanceof ReadableStream) {
    request.set(headers);
    for await (const chunk of body) request.write(chunk);
  } else if (body === undefined) {
    request.set(headers);
  } else {
    const { bytes, type } =
      typeof body === 'string' ? { bytes: Buffer.from(body), type: null } : await serialized(body);
    request.set({ ...(type && { 'content-type': type }), ...headers, 'content-length': String(bytes.byteLength) });
    if (bytes.byteLength > 0) request.write(bytes as never);
  }
  return new Promise((resolve, reject) => {
    request.end((failure: Error | null, received: Response | undefined) => {
      if (!received)
        return reject(failure && Object.assign(failure, { message: `${method} ${path}: ${failure.message}` }));
      look(received.body);
      const response = answerOf(received);
      recordLinks(url, response);
      assertDescribed(url, method, path, response).then(
        () => resolve(received),
        (fault: Error) => reject(Object.assign(fault, { message: fault.message + logOf(response) })),
      );
    });
  });
}

/** The bytes of a body, and the content type that its class implies. */
async function serialized(body: unknown): Promise<{ bytes: Uint8Array; type: string | null }> {
  if (body instanceof Uint8Array) return { bytes: body, type: null };
  const response = new Response(body as FormData | URLSearchParams | Blob);
  return { bytes: new Uint8Array(await response.arrayBuffer()), type: response.headers.get('content-type') };
}

const isJson = (type = '') => type.startsWith('application/json');

/** Parses the body in supertest's format: JSON, an empty object for text, otherwise bytes. */
function read(response: IncomingMessage & { text?: string }, done: (failure: unknown, body?: unknown) => void): void {
  const type = response.headers['content-type'];
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('end', () => {
    const bytes = Buffer.concat(chunks);
    response.text = bytes.toString();
    try {
      if (response.text !== '' && isJson(type)) done(null, JSON.parse(response.text));
      else done(null, response.text === '' || type?.startsWith('text/') ? {} : bytes);
    } catch (failure) {
      done(failure);
    }
  });
}

function answerOf({ status, headers, text = '', body }: Response): TestResponse {
  let ofFetch: Headers | undefined;
  return {
    status,
    get headers() {
      ofFetch ??= new Headers(
        Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => [name, value])),
      );
      return ofFetch;
    },
    body: text === '' ? undefined : isJson(headers['content-type']) ? body : text,
    text,
  };
}

/** The maximum number of characters of a body that a failed expectation shows. */
const MAX_SHOWN_CHARACTERS = 1000;

/** A request with its response and the log of both. */
function describeExchange({ method, path }: SentRequest, response: TestResponse, failure = ''): string {
  const { status, text } = response;
  const body =
    text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}... (${text.length} characters)` : text;
  return `${method} ${path} was answered ${status} ${body || 'without a body'}${failure}${logOf(response)}`;
}

const reported = new Set<string>();

/** Writes the cause of an error to the output of the test, once for each cause. */
function reportOnce(sent: SentRequest, response: TestResponse): void {
  const cause = `${sent.method} ${sent.path} ${logOf(response)}`;
  if (reported.has(cause)) return;
  reported.add(cause);
  process.stderr.write(`${describeExchange(sent, response)}\n`);
}

function withExchange(failure: Error, sent: SentRequest, response: TestResponse): Error {
  const message = describeExchange(sent, response, `\n${failure.message}`);
  failure.stack = failure.stack?.replace(failure.message, () => message) ?? message;
  failure.message = message;
  return failure;
}
