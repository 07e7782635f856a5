import { AdminAcl, CurrentOperator, type Operator, RateLimit } from '@gatehouse-auth/server';
import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { NotePath, NotesQuery, OwnerPath } from './notes.dto.js';
import { NotesService } from './notes.service.js';

/** Operations on notes for administrators. */
@Controller('v1/admin')
export class NotesAdminController {
  constructor(private readonly notes: NotesService) {}

  /** Lists the notes of an account, newest first. */
  @Get('users/:user_id/notes')
  @AdminAcl('notes:lookup')
  @RateLimit('notes:read')
  list(@Param() { user_id }: OwnerPath, @Query() query: NotesQuery) {
    return this.notes.list(user_id, query);
  }

  /** Deletes a note. The audit log records who did it. */
  @Delete('notes/:note_id')
  @HttpCode(204)
  @AdminAcl('notes:remove')
  @RateLimit('notes:write')
  remove(@CurrentOperator() by: Operator, @Param() { note_id }: NotePath) {
    return this.notes.remove(by, note_id);
  }
}
