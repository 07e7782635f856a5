/** The API that the tests use. The package has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  type Hook<T> = (context: never, value: T) => unknown;

  export interface Configuration {
    clients: Record<string, unknown>[];
    jwks: { keys: object[] };
    cookies: { keys: string[] };
    claims: Record<string, string[]>;
    pkce: { required: () => boolean };
    features: { devInteractions: { enabled: boolean } };
    findAccount: Hook<string>;
    interactions: { url: Hook<{ uid: string }> };
    loadExistingGrant(context: {
      oidc: {
        client: { clientId: string };
        session: { accountId: string };
        provider: {
          Grant: new (of: {
            clientId: string;
            accountId: string;
          }) => {
            addOIDCScope(scope: string): void;
            save(): Promise<string>;
          };
        };
      };
    }): Promise<unknown>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): (req: IncomingMessage, res: ServerResponse) => void;
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<{ params: Record<string, unknown> }>;
    interactionFinished(req: IncomingMessage, res: ServerResponse, result: object): Promise<void>;
  }
}
