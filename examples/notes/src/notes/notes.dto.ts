import { Int, Snowflake, Text } from '@gatehouse-auth/server';

export const LONGEST_NOTE = 2000;

export class NoteInput {
  @Text({ min: 1, max: LONGEST_NOTE, trim: true }) text: string;
}

export class NotePath {
  @Snowflake() note_id: string;
}

export class OwnerPath {
  @Snowflake() user_id: string;
}

export class NotesQuery {
  @Int({ min: 1, max: 100, text: true, optional: true }) limit?: number;
  @Snowflake({ optional: true }) before?: string;
}

export class WatchInput {
  @Int({ min: 1, max: 100, optional: true }) limit?: number;
}
