import type { FeatureRegistry } from '../policy/feature-registry.js';
import type { PolicyKind, RoutePolicy } from '../policy/route-policy.js';
import type { Schema } from './api-metadata.js';

type Scheme = 'session' | 'bot' | 'bearer' | 'admin-key' | 'client';

const SCHEMES: Readonly<Record<PolicyKind, readonly Scheme[]>> = {
  Public: ['session', 'bot', 'bearer'],
  CredentialFree: [],
  Authenticated: ['session', 'bot'],
  UserOnly: ['session'],
  BotOnly: ['bot'],
  BearerOnly: ['bearer'],
  AdminAcl: ['session', 'bearer', 'admin-key'],
  ClientAuth: ['client'],
};

const ofHeader = (description: string): Schema => ({
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  description,
});

/** One security scheme for each kind of credential (credentials.md section 1). */
export const securitySchemes = (origin: string, { scopes }: FeatureRegistry): Record<Scheme, Schema> => ({
  session: ofHeader('A session: `flx_...`, bare or after `Bearer `'),
  bot: ofHeader('A bot: `Bot <token>`'),
  bearer: {
    type: 'oauth2',
    description: 'An access token of an application: `Bearer <token>`',
    flows: {
      authorizationCode: {
        authorizationUrl: `${origin}/oauth2/authorize`,
        tokenUrl: `${origin}/v1/oauth2/token`,
        refreshUrl: `${origin}/v1/oauth2/token`,
        scopes: Object.fromEntries([...scopes.keys()].map((scope) => [scope, `Operations that ask for \`${scope}\``])),
      },
    },
  },
  'admin-key': ofHeader('An Admin API key, below `/v1/admin`: `Admin <key>`'),
  client: { type: 'http', scheme: 'basic', description: 'Id and secret of an application, or both in the form' },
});

/** The credentials that an operation accepts. An empty entry means that the credential is optional. */
export function securityOf({ kind, scope }: RoutePolicy): Schema[] {
  const schemes = [...new Set([...SCHEMES[kind], ...(scope !== undefined ? (['bearer'] as const) : [])])];
  const known = schemes.map((scheme) => ({ [scheme]: scheme === 'bearer' && scope !== undefined ? [scope] : [] }));
  return kind === 'Public' ? [{}, ...known] : known;
}
