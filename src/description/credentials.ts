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
  session: ofHeader('Session token `flx_...`, without a scheme or with `Bearer `'),
  bot: ofHeader('Bot token: `Bot <token>`'),
  bearer: {
    type: 'oauth2',
    description: 'OAuth2 access token: `Bearer <token>`',
    flows: {
      authorizationCode: {
        authorizationUrl: `${origin}/oauth2/authorize`,
        tokenUrl: `${origin}/v1/oauth2/token`,
        refreshUrl: `${origin}/v1/oauth2/token`,
        scopes: Object.fromEntries([...scopes.keys()].map((scope) => [scope, `Operations that require \`${scope}\``])),
      },
    },
  },
  'admin-key': ofHeader('Admin API key, only for `/v1/admin`: `Admin <key>`'),
  client: {
    type: 'http',
    scheme: 'basic',
    description: 'Client ID and client secret of an application. Both can also be members of the form',
  },
});

/** The credentials that an operation accepts. An empty entry means that the credential is optional. */
export function securityOf({ kind, scope }: RoutePolicy): Schema[] {
  const schemes = [...new Set([...SCHEMES[kind], ...(scope !== undefined ? (['bearer'] as const) : [])])];
  const known = schemes.map((scheme) => ({ [scheme]: scheme === 'bearer' && scope !== undefined ? [scope] : [] }));
  return kind === 'Public' ? [{}, ...known] : known;
}
