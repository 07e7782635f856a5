import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as overHttp } from 'node:http';
import { Agent as HttpsAgent, request as overHttps } from 'node:https';
import { type Decision, decisionOf } from './decision.js';
import type { DecisionRequest } from './decision-request.js';

/** How to reach Gatehouse. `timeoutMs` limits each request. */
export interface ClientOptions {
  /** The origin of Gatehouse, such as `https://id.example.com`. */
  readonly url: string;
  /** The credentials of the resource application. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** How long to wait for a decision, in milliseconds. Default: 2000. */
  readonly timeoutMs?: number;
}

/** A response that contains no decision, such as 401 for invalid client credentials or 404 for an unknown policy. */
export class UnexpectedResponse extends Error {
  override readonly name = 'UnexpectedResponse';

  constructor(
    readonly status: number,
    readonly retryAfter: string | undefined,
    body: string,
  ) {
    super(`Gatehouse responded with status ${status}: ${body.slice(0, 200)}`);
  }
}

/** A response may not be longer, in bytes. */
const LONGEST = 1024 * 1024;

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > LONGEST) throw new Error('The response of Gatehouse is too long');
  }
  return Buffer.concat(chunks).toString();
}

/** The two requests to Gatehouse, with the credentials of the resource application. */
export class GatehouseClient {
  private readonly agent: HttpAgent;
  private readonly send: typeof overHttp;
  private readonly decisions: URL;
  private readonly revocations: URL;
  private readonly authorization: string;
  private readonly timeoutMs: number;

  /** @throws TypeError if the URL or a credential is missing or invalid */
  constructor({ url, clientId, clientSecret, timeoutMs = 2000 }: ClientOptions) {
    if (!clientId || !clientSecret)
      throw new TypeError('Set clientId and clientSecret to those of the resource application');
    this.decisions = new URL('/v1/decisions', url);
    this.revocations = new URL('/v1/decisions/revocations', url);
    const isTls = this.decisions.protocol === 'https:';
    this.agent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 128 });
    this.send = isTls ? overHttps : overHttp;
    // Both parts are encoded (RFC 6749, section 2.3.1).
    const pair = [clientId, clientSecret].map(encodeURIComponent).join(':');
    this.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    this.timeoutMs = timeoutMs;
  }

  /** Asks for a decision. @throws UnexpectedResponse, and Error if there is no response in time */
  async decide(decisionRequest: DecisionRequest): Promise<Decision> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    const { policy, authorization, sudo, address } = decisionRequest;
    const body = JSON.stringify({ policy, authorization: authorization ?? '', sudo, address });
    const response = await this.post(body, signal, true);
    const text = await textOf(response);
    const { statusCode = 0, headers } = response;
    if (statusCode !== 200) throw new UnexpectedResponse(statusCode, headers['retry-after'], text);
    return decisionOf(JSON.parse(text));
  }

  /** A request for the stream of revocations, which is not sent yet. It has its own connection. */
  subscribe(lastEventId: string | undefined): ClientRequest {
    return this.send(this.revocations, {
      agent: false,
      headers: {
        accept: 'text/event-stream',
        authorization: this.authorization,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
  }

  close(): void {
    this.agent.destroy();
  }

  private post(body: string, signal: AbortSignal, isFirst: boolean): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { agent, authorization } = this;
      const headers = {
        authorization,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      };
      const request = this.send(this.decisions, { method: 'POST', agent, headers, signal }, resolve);
      request.on('error', (error: NodeJS.ErrnoException) => {
        // Gatehouse may close an idle connection at the moment at which it is used again.
        const isStale = isFirst && request.reusedSocket && error.code === 'ECONNRESET';
        if (isStale) this.post(body, signal, false).then(resolve, reject);
        else reject(error);
      });
      request.end(body);
    });
  }
}
