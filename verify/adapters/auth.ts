import type { Caller } from '../decision.js';
import type { DecisionRequest } from '../decision-request.js';
import { type Metrics, Verifier, type VerifierOptions } from '../verifier.js';

export interface AuthOptions<Request> extends VerifierOptions {
  /**
   * Returns the IP address of the client. Behind a proxy, return the address that the proxy states, for example in
   * `X-Forwarded-For`. Default: the address of the connection, if the framework provides it.
   */
  readonly address?: (request: Request) => string | undefined;
}

type Credentials = Pick<DecisionRequest, 'authorization' | 'sudo'>;

type Carrier = Record<symbol, Caller | undefined>;

/** What all adapters have in common. */
export class Auth<Request extends object> {
  private readonly verifier: Verifier;
  /** The member of a request that contains the caller. A WeakMap would take as long as the digest of the key. */
  private readonly member = Symbol('caller');
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
    return this.admitted(request, await this.ask(request, policy));
  }

  /** The caller of a request that was admitted. @throws Error if no policy was required for the request */
  caller(request: Request): Caller {
    const caller = this.carrierOf(request)[this.member];
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

  /** Calls one of two functions. `next` is called before it returns if the admission is kept. */
  protected check(request: Request, policy: string, next: () => void, fail: (error: unknown) => void): void {
    const caller = this.ask(request, policy);
    if (!(caller instanceof Promise)) {
      this.admitted(request, caller);
      next();
      return;
    }
    caller.then((one) => {
      this.admitted(request, one);
      next();
    }, fail);
  }

  private ask(request: Request, policy: string): Caller | Promise<Caller> {
    const { authorization, sudo } = this.credentialsOf(request);
    return this.verifier.require({ policy, authorization, sudo, address: this.address(request) });
  }

  private admitted(request: Request, caller: Caller): Caller {
    this.carrierOf(request)[this.member] = caller;
    return caller;
  }

  /** The object that stands for a request in all parts of the framework. */
  protected carrierOf(request: Request): Carrier {
    return request as Carrier;
  }
}
