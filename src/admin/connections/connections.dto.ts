import { ConnectionId } from '../../auth/connections/connections.dto.js';
import { CLAIMS, type ClaimMap, KINDS } from '../../auth/connections/presets.js';
import { DOMAIN_BOUND, domainFault, ProviderUrl, SCOPES } from '../../auth/sso/sso.dto.js';
import { isOneLine, isText } from '../../core/text/text.js';
import { Bool, type Fault, field, Int, ListOf, OneOf, Text } from '../../http/input.js';

const MAX_CLAIM = 256;
const NULLABLE = { optional: true, nullable: true } as const;

/** A map of facts to members of the user information (connections.md section 1). */
function Claims(): PropertyDecorator {
  const text = { type: 'string', minLength: 1, maxLength: MAX_CLAIM };
  const description = {
    type: 'object',
    properties: Object.fromEntries(CLAIMS.map((name) => [name, text])),
    additionalProperties: false,
  };
  return field(
    { ...NULLABLE, bound: 2 * MAX_CLAIM, tooLong: 'INVALID_FORMAT', description },
    (value): Fault | undefined => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'INVALID_FORMAT';
      const isFit = ([name, path]: [string, unknown]) =>
        (CLAIMS as readonly string[]).includes(name) && isText(path) && path !== '' && path.length <= MAX_CLAIM;
      return Object.entries(value).every(isFit) ? undefined : 'INVALID_FORMAT';
    },
  );
}

/** The members that all kinds have. */
class ConnectionMembers {
  @Text({ ...NULLABLE, min: 1, max: 2048, check: isOneLine }) icon?: string | null;
  @Text({ ...NULLABLE, min: 1, max: 256 }) client_id?: string | null;
  @Text({ ...NULLABLE, min: 1, max: 1024 }) client_secret?: string | null;
  @ProviderUrl() issuer?: string | null;
  @ProviderUrl() authorization_url?: string | null;
  @ProviderUrl() token_url?: string | null;
  @ProviderUrl() userinfo_url?: string | null;
  @ProviderUrl() jwks_url?: string | null;
  @ProviderUrl() emails_url?: string | null;
  @Text({ ...NULLABLE, min: 1, max: 256, pattern: SCOPES }) scope?: string | null;
  @Claims() claims?: ClaimMap | null;
  @Bool({ optional: true }) enabled?: boolean;
  @Bool({ optional: true }) allow_sign_up?: boolean;
  @Bool({ optional: true }) link_by_email?: boolean;
  @Bool({ optional: true }) require_second_factor?: boolean;
  @ListOf({ optional: true, max: 100, ...DOMAIN_BOUND }, domainFault) allowed_domains?: string[];
  @Int({ optional: true, min: 0, max: 1000 }) position?: number;
}

export class CreateConnectionInput extends ConnectionMembers {
  @ConnectionId() id: string;
  @OneOf(KINDS) kind: (typeof KINDS)[number];
  @Text({ min: 1, max: 64, check: isOneLine }) display_name: string;
}

export class EditConnectionInput extends ConnectionMembers {
  @Text({ optional: true, min: 1, max: 64, check: isOneLine }) display_name?: string;
}

export class DeleteConnectionInput {
  @Int({ min: 0, max: Number.MAX_SAFE_INTEGER }) identities: number;
}
