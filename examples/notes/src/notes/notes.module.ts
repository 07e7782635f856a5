import { WEBHOOK_MESSAGE_SINKS } from '@gatehouse-auth/server';
import { Module } from '@nestjs/common';
import { NotesController } from './notes.controller.js';
import { NotesGateway } from './notes.gateway.js';
import { NotesService } from './notes.service.js';
import { NotesSink } from './notes.sink.js';
import { NotesAdminController } from './notes-admin.controller.js';
import { NotesPageController } from './notes-page.controller.js';

/** Notes of users, bots and webhooks. */
@Module({
  controllers: [NotesController, NotesAdminController, NotesPageController],
  providers: [NotesService, NotesGateway, NotesSink, { provide: WEBHOOK_MESSAGE_SINKS, useExisting: NotesSink }],
})
export class NotesModule {}
