import { Snowflake, Text } from '../../http/input.js';

/** The operation checks the format of a code, because it has its own error code. */
const ANY_LENGTH = 16_384;

export class HandoffPath {
  @Text({ max: ANY_LENGTH }) code: string;
}

export class CompleteHandoffInput {
  @Text({ max: ANY_LENGTH }) code: string;
  @Snowflake() user_id: string;
  /**
   * The two digits that the other device shows. Any other value revokes the code, so a page can also use this to deny
   * the request.
   */
  @Text({ max: ANY_LENGTH, optional: true, example: '42' }) confirmation?: string;
}

export class CollectHandoffInput {
  @Text({ min: 1, max: 256 }) poll_secret: string;
}

export class CancelHandoffInput {
  @Text({ min: 1, max: 256, optional: true }) poll_secret?: string;
}
