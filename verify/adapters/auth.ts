import type { Caller } from '../decision.js';
import type { Question } from '../question.js';
import { type Metrics, Verifier, type VerifierOptions } from '../verifier.js';

export interface AuthOptions<Request> extends VerifierOptions {
  /**
   * Returns the IP address of the client. Behind a proxy, return the address that the proxy states, for example in
   * `X-Forwarded-For`. Default: the address of the connection, if the framework provides it.
   */
  readonly address?: (request: Request) => string | undefined;
}

type Credentials = Pick<Question, 'authorization' | 'sudo'>;

/** What all adapters have in common. */
export class Auth<Request extends object> {
  private readonly verifier: Verifier;
  private readonly callers = new WeakMap<object, Caller>();
  private readonly address: (request: Request) => string | undefined;

  constructor(
    options: AuthOptions<Request>,
    private readonly credentialsOf: (request: Request) => Credentials,
    address: (request: Request) => string | undefined,
  ) {
    this.verifier = new Verifier(options);
    this.address = options.address ?? address;
  }

  /**
   * @param policy the name of a service policy
   * @returns the caller of the request
   * @throws AuthError if the policy does not admit the request, or with status 503 if Gatehouse does not decide
   */
  async require(request: Request, policy: string): Promise<Caller> {
    const question = { policy, ...this.credentialsOf(request), address: this.address(request) };
    const caller = await this.verifier.require(question);
    this.callers.set(this.carrierOf(request), caller);
    return caller;
  }

  /** The caller of a request that was admitted. @throws Error if no policy was required for the request */
  caller(request: Request): Caller {
    const caller = this.callers.get(this.carrierOf(request));
    if (!caller) throw new Error('No policy was required for this request');
    return caller;
  }

  /** Counters, for your monitoring. */
  metrics(): Metrics {
    return this.verifier.metrics();
  }

  /** Closes the connections to Gatehouse. */
  close(): void {
    this.verifier.close();
  }

  /** The object that stands for a request in all parts of the framework. */
  protected carrierOf(request: Request): object {
    return request;
  }
}
