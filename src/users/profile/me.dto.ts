import { Discriminator, GlobalName, Username } from '../../accounts/names.js';
import { Password } from '../../auth/factors/fields.js';
import { SudoInput } from '../../auth/sudo/sudo.dto.js';
import { field, Int, Text } from '../../http/input.js';
import { Base64Image } from '../../media/objects/base64-image.js';

/** An email address cannot be changed with PATCH, so any value is rejected. */
function RejectedInPatch(): PropertyDecorator {
  const code = 'EMAIL_MUST_BE_CHANGED_VIA_TOKEN';
  return field({ optional: true, bound: 0, tooLong: code, description: { type: 'string' } }, () => code);
}

export class EditMeInput extends SudoInput {
  @Username({ optional: true }) username?: string;
  @Discriminator() discriminator?: string;
  @GlobalName({ optional: true, nullable: true }) global_name?: string | null;
  @Base64Image({ nullable: true }) avatar?: string | null;
  @Base64Image({ nullable: true }) banner?: string | null;
  @Text({ min: 1, max: 320, optional: true, nullable: true }) bio?: string | null;
  @Text({ min: 1, max: 40, optional: true, nullable: true }) pronouns?: string | null;
  @Int({ min: 0, max: 16777215, optional: true, nullable: true }) accent_color?: number | null;
  @RejectedInPatch() email?: unknown;
  @Password({ optional: true, fresh: true }) new_password?: string;
  @Text({ min: 1, max: 256, optional: true }) email_token?: string;
}
