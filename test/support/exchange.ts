import { Agent, type IncomingMessage } from 'node:http';
import type { Response } from 'supertest';
import { SuperTest } from './demanded.js';
import { demandDescribed } from './described.js';
import { keepLinks } from './followed-links.js';
import { logOf } from './log-lines.js';
import { PATIENCE_MS } from './patience.js';

/** What the service answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body: JSON where the answer says so, else text; `undefined` when it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of many shapes and assert them one by one
  readonly body: any;
  readonly text: string;
}

/** What is sent, and the loopback address that it leaves from. */
export interface Question {
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly localAddress: string | undefined;
}

/** What the function of an expectation is given: an answer as supertest has it. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of many shapes and assert them one by one
  readonly body: any;
  readonly text: string;
}

type Done = (failure: Error | null, received: Response | undefined) => void;
type Asserting = { assert(failure: Error | null, received: Response | undefined, done: Done): void };

/** supertest asserts when an answer comes; an exchange does when it is awaited, when everything is known that it shall be. */
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

/** A request, which is sent at once. Awaited it is the answer; until then `expect` asserts of it what supertest's does. */
export class Exchange implements Promise<Answer> {
  readonly [Symbol.toStringTag] = 'Exchange';
  private readonly request: Request;
  private readonly received: Promise<Response>;
  private judged: Promise<Answer> | undefined;

  /** `look` sees every answered body, whatever comes of it. */
  constructor(
    private readonly question: Question,
    look: (body: unknown) => void,
  ) {
    const { url, method, path, localAddress } = question;
    this.request = new Request(url, method, path).agent(connectionsFrom(localAddress));
    // Whatever the status, an answer is one; read here, it costs half of what it costs to be read there.
    this.request
      .ok(() => true)
      .parse(read as never)
      .timeout({ deadline: PATIENCE_MS });
    this.received = receive(this.request, question, look);
  }

  expect(status: number | readonly number[]): this;
  expect(status: number, body: unknown): this;
  expect(header: string, value: string | number | RegExp): this;
  expect(check: (answer: Received) => unknown): this;
  expect(body: string | RegExp | object): this;
  expect(...assertion: unknown[]): this {
    this.request.expect(...(assertion as Parameters<Request['expect']>));
    this.judged = undefined;
    return this;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaited, a request is its answer
  then<Result = Answer, Otherwise = never>(
    onAnswer?: ((answer: Answer) => Result | PromiseLike<Result>) | null,
    onFault?: ((reason: unknown) => Otherwise | PromiseLike<Otherwise>) | null,
  ): Promise<Result | Otherwise> {
    this.judged ??= this.judge();
    return this.judged.then(onAnswer, onFault);
  }

  catch<Otherwise = never>(
    onFault?: ((reason: unknown) => Otherwise | PromiseLike<Otherwise>) | null,
  ): Promise<Answer | Otherwise> {
    return this.then(null, onFault);
  }

  finally(onEnd?: (() => void) | null): Promise<Answer> {
    return this.then().finally(onEnd);
  }

  private async judge(): Promise<Answer> {
    const received = await this.received;
    const answer = answerOf(received);
    const fault = await this.request.fault(received);
    if (fault) throw told(fault, this.question, answer);
    return answer;
  }
}

/** Less than the service waits for a next request: of what both keep open, the service must never be the first to let go. */
const IDLE_MS = 30_000;

/** To the service, every address is another client. */
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
  { url, method, path, headers, body }: Question,
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
      const answer = answerOf(received);
      keepLinks(url, answer);
      demandDescribed(url, method, path, answer).then(
        () => resolve(received),
        (fault: Error) => reject(Object.assign(fault, { message: fault.message + logOf(answer) })),
      );
    });
  });
}

/** Bytes and the type that they have by themselves. */
async function serialized(body: unknown): Promise<{ bytes: Uint8Array; type: string | null }> {
  if (body instanceof Uint8Array) return { bytes: body, type: null };
  const response = new Response(body as FormData | URLSearchParams | Blob);
  return { bytes: new Uint8Array(await response.arrayBuffer()), type: response.headers.get('content-type') };
}

const isJson = (type = '') => type.startsWith('application/json');

/** The body as supertest has it: parsed JSON, nothing beside a text, or bytes. */
function read(answer: IncomingMessage & { text?: string }, done: (failure: unknown, body?: unknown) => void): void {
  const type = answer.headers['content-type'];
  const chunks: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => chunks.push(chunk));
  answer.on('end', () => {
    const bytes = Buffer.concat(chunks);
    answer.text = bytes.toString();
    try {
      if (answer.text !== '' && isJson(type)) done(null, JSON.parse(answer.text));
      else done(null, answer.text === '' || type?.startsWith('text/') ? {} : bytes);
    } catch (failure) {
      done(failure);
    }
  });
}

function answerOf({ status, headers, text = '', body }: Response): Answer {
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

/** How much of a body an unmet expectation shows. */
const SHOWN = 1000;

function told(failure: Error, { method, path }: Question, answer: Answer): Error {
  const { status, text } = answer;
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}... (${text.length} characters)` : text;
  const message = `${method} ${path} was answered ${status} ${shown || 'without a body'}\n${failure.message}${logOf(answer)}`;
  failure.stack = failure.stack?.replace(failure.message, () => message) ?? message;
  failure.message = message;
  return failure;
}
