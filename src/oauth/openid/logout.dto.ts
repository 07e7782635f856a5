import { Bool, Snowflake, Text } from '../../http/input.js';

/** Parameters of RP-Initiated Logout 1.0 section 2, and the press of the user. */
export class LogoutInput {
  @Text({ max: 4096, optional: true }) id_token_hint?: string;
  @Snowflake({ optional: true }) client_id?: string;
  @Text({ max: 256, optional: true }) logout_hint?: string;
  @Text({ max: 256, optional: true }) post_logout_redirect_uri?: string;
  @Text({ max: 1024, optional: true }) state?: string;
  @Text({ max: 256, optional: true }) ui_locales?: string;
  @Bool({ optional: true }) confirm?: boolean;
}
