import { Int, Snowflake, Text } from '../http/input.js';
import { Base64Image } from '../media/objects/base64-image.js';

/** An avatar of 2 MiB in base64, plus the other members. */
export const AVATAR_BODY_LIMIT = 3 * 1024 * 1024;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
const PLAIN = /^[^\u0000-\u001f\u007f-\u009f]*$/;

/** 1-80 code points after trimming, without control characters. */
const Name = (options: { optional?: boolean } = {}) =>
  Text({
    ...options,
    ...{ min: 1, max: 80, trim: true, pattern: PLAIN },
    ...{ length: 'WEBHOOK_NAME_LENGTH_INVALID', form: 'WEBHOOK_NAME_LENGTH_INVALID' },
  });

export class CreateWebhookInput {
  @Name() name: string;
  @Base64Image({ nullable: true }) avatar?: string | null;
  @Snowflake({ optional: true }) application_id?: string;
}

export class EditWebhookInput {
  @Name({ optional: true }) name?: string;
  @Base64Image({ nullable: true }) avatar?: string | null;
}

export class WebhookPath {
  @Snowflake() id: string;
}

export class TokenPath extends WebhookPath {
  @Text({ min: 1, max: 256 }) token: string;
}

export class MessagePath extends TokenPath {
  @Snowflake() message_id: string;
}

export class MessagesQuery {
  @Int({ min: 1, max: 100, text: true, optional: true }) limit?: number;
  @Snowflake({ optional: true }) before?: string;
  @Snowflake({ optional: true }) after?: string;
}
