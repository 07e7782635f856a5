import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../accounts/grants/oauth.entities.js';
import { ApplicationName, Username } from '../../accounts/names.js';
import { SudoInput } from '../../auth/sudo/sudo.dto.js';
import { Bool, field, ListOf, OneOf, Snowflake, Text } from '../../http/input.js';
import { Base64Image } from '../../media/objects/base64-image.js';
import { backchannelUriFault, REDIRECT_URIS, redirectUriFault } from './redirect-uris.js';

const REDIRECT_URI = { type: 'string', format: 'uri', pattern: '^[^*\\\\#]+$', minLength: 1, maxLength: 256 };

const RedirectUris = () =>
  ListOf({ ...REDIRECT_URIS, optional: true, nullable: true, items: REDIRECT_URI }, redirectUriFault);

const IdTokenAlgorithm = () => OneOf(SIGNING_ALGORITHMS, { optional: true });

const BackchannelUri = () =>
  field(
    {
      ...{ optional: true, nullable: true, bound: REDIRECT_URIS.bound, tooLong: 'INVALID_URL_FORMAT' },
      description: REDIRECT_URI,
    },
    backchannelUriFault,
  );

export class ApplicationPath {
  @Snowflake() id: string;
}

export class BotTokenPath extends ApplicationPath {
  @Snowflake() token_id: string;
}

export class CreateBotTokenInput extends SudoInput {
  @Text({ min: 1, max: 100, trim: true, optional: true }) name?: string;
}

export class CreateApplicationInput {
  @ApplicationName() name: string;
  @OneOf(['confidential', 'public'], { optional: true }) client_type?: 'confidential' | 'public';
  @RedirectUris() redirect_uris?: string[] | null;
  @Bool({ optional: true }) bot_public?: boolean;
  @Bool({ optional: true }) bot_require_code_grant?: boolean;
  @IdTokenAlgorithm() id_token_signed_response_alg?: SigningAlgorithm;
  @RedirectUris() post_logout_redirect_uris?: string[] | null;
  @BackchannelUri() backchannel_logout_uri?: string | null;
  @Bool({ optional: true }) backchannel_logout_session_required?: boolean;
}

export class EditApplicationInput {
  @ApplicationName({ optional: true }) name?: string;
  @RedirectUris() redirect_uris?: string[] | null;
  @Bool({ optional: true }) bot_public?: boolean;
  @Bool({ optional: true }) bot_require_code_grant?: boolean;
  @IdTokenAlgorithm() id_token_signed_response_alg?: SigningAlgorithm;
  @RedirectUris() post_logout_redirect_uris?: string[] | null;
  @BackchannelUri() backchannel_logout_uri?: string | null;
  @Bool({ optional: true }) backchannel_logout_session_required?: boolean;
}

const DISCRIMINATOR = {
  ...{ bound: 4, tooLong: 'INVALID_FORMAT' as const },
  description: { type: 'string', pattern: '^[0-9]{1,4}$' },
};

/** A discriminator of 1 to 4 digits. The service compares it with the current one. */
function Discriminator(): PropertyDecorator {
  return field({ ...DISCRIMINATOR, optional: true }, (value) =>
    typeof value === 'string' && /^[0-9]{1,4}$/.test(value) ? undefined : 'INVALID_FORMAT',
  );
}

export class EditBotInput {
  @Username({ optional: true }) username?: string;
  @Discriminator() discriminator?: string;
  @Base64Image({ nullable: true }) avatar?: string | null;
  @Base64Image({ nullable: true }) banner?: string | null;
  @Text({ max: 1024, optional: true, nullable: true }) bio?: string | null;
}
