import { Snowflake, Text } from '../../http/input.js';

/** The form of a code is judged by the operation, with an error code of its own. */
const ANY_LENGTH = 16_384;

export class HandoffPath {
  @Text({ max: ANY_LENGTH }) code: string;
}

export class CompleteHandoffInput {
  @Text({ max: ANY_LENGTH }) code: string;
  @Snowflake() user_id: string;
  /** The two digits that the other device shows. Anything else voids the code, so a page can also use this to refuse. */
  @Text({ max: ANY_LENGTH, optional: true, example: '42' }) confirmation?: string;
}

export class CollectHandoffInput {
  @Text({ min: 1, max: 256 }) poll_secret: string;
}

export class CancelHandoffInput {
  @Text({ min: 1, max: 256, optional: true }) poll_secret?: string;
}
