import {
  Authenticated,
  BotOnly,
  CurrentIdentity,
  type Identity,
  OAuthScope,
  RateLimit,
  UserOnly,
} from '@gatehouse-auth/server';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { NoteInput, NotePath, NotesQuery } from './notes.dto.js';
import { NotesService } from './notes.service.js';

/** Operations for owners of notes. */
@Controller('v1/notes')
export class NotesController {
  constructor(private readonly notes: NotesService) {}

  /** Lists the caller's notes, newest first. */
  @Get()
  @Authenticated()
  @OAuthScope('notes.read')
  @RateLimit('notes:read')
  list(@CurrentIdentity() me: Identity, @Query() query: NotesQuery) {
    return this.notes.list(me.account.id, query);
  }

  /** Creates a note. */
  @Post()
  @Authenticated()
  @OAuthScope('notes.write')
  @RateLimit('notes:write')
  create(@CurrentIdentity() me: Identity, @Body() input: NoteInput) {
    return this.notes.create(me, input);
  }

  /** Returns the newest note of a bot. */
  @Get('mine')
  @BotOnly()
  @RateLimit('notes:read')
  async mine(@CurrentIdentity() me: Identity) {
    return { newest: (await this.notes.list(me.account.id, { limit: 1 }))[0] ?? null };
  }

  /** Returns a note of the caller. */
  @Get(':note_id')
  @Authenticated()
  @OAuthScope('notes.read')
  @RateLimit('notes:read')
  show(@CurrentIdentity() me: Identity, @Param() { note_id }: NotePath) {
    return this.notes.show(me, note_id);
  }

  /** Deletes a note of the caller. */
  @Delete(':note_id')
  @HttpCode(204)
  @UserOnly()
  @OAuthScope('notes.write')
  @RateLimit('notes:write')
  delete(@CurrentIdentity() me: Identity, @Param() { note_id }: NotePath) {
    return this.notes.delete(me, note_id);
  }
}
