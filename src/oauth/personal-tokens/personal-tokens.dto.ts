import { SudoInput } from '../../auth/sudo/sudo.dto.js';
import { parseNetwork } from '../../bans/networks.js';
import { Int, ListOf, Snowflake, Text } from '../../http/input.js';

const MAX_NETWORKS = 20;
const MAX_NETWORK_LENGTH = 45;
const MAX_SCOPES = 100;
const MAX_SCOPE_LENGTH = 64;
const MAX_DAYS = 365;

/** Scopes that only make sense for an application with a user in front of it. */
const INTERACTIVE_SCOPES: ReadonlySet<string> = new Set(['bot', 'openid', 'profile', 'offline_access']);

/** Any registered scope that a script can use, at least one. */
const PersonalScopes = () =>
  ListOf(
    { min: 1, max: MAX_SCOPES, bound: MAX_SCOPE_LENGTH, items: { type: 'string', examples: ['identify'] } },
    (value, features) =>
      typeof value === 'string' && !INTERACTIVE_SCOPES.has(value) && features?.scopes.has(value)
        ? undefined
        : 'INVALID_FORMAT',
  );

/** CIDR ranges without host bits. A single IP address needs its prefix length. */
const Networks = () =>
  ListOf(
    {
      ...{ max: MAX_NETWORKS, bound: MAX_NETWORK_LENGTH, optional: true },
      items: { type: 'string', format: 'cidr', maxLength: MAX_NETWORK_LENGTH, examples: ['198.51.100.0/24'] },
    },
    (value) => (typeof value === 'string' && value.includes('/') && parseNetwork(value) ? undefined : 'INVALID_FORMAT'),
  );

const NAME = { min: 1, max: 100, trim: true } as const;

export class PersonalTokenPath {
  @Snowflake() id: string;
}

export class CreatePersonalTokenInput extends SudoInput {
  @Text(NAME) name: string;
  @PersonalScopes() scopes: string[];
  @Int({ min: 1, max: MAX_DAYS, optional: true }) expires_in_days?: number;
  @Networks() networks?: string[];
}

export class RenamePersonalTokenInput {
  @Text(NAME) name: string;
}
