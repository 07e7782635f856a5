import { defineFeature, gatewayEvent } from '@gatehouse-auth/server';
import { CreateNotes1800000000000 } from '../migrations/1800000000000-create-notes.js';
import { Note, type NoteView } from './note.entity.js';
import { NotesModule } from './notes.module.js';
import { NotesSettings } from './notes.settings.js';

/** Notes of users, bots and webhooks. Each name starts with the name of the feature. */
export const notes = defineFeature('notes', {
  modules: [NotesModule],
  settings: [NotesSettings],
  entities: [Note],
  migrations: [CreateNotes1800000000000],
  errors: {
    NOTES_NOT_FOUND: [404, 'Unknown note.'],
    NOTES_FULL: [409, 'There is no room for another note.'],
  },
  scopes: {
    'notes.read': { 'en-US': 'Read your notes', de: 'Ihre Notizen lesen' },
    'notes.write': {
      'en-US': 'Write and delete notes for you',
      de: 'Notizen für Sie schreiben und löschen',
    },
  },
  acls: {
    'notes:lookup': { 'en-US': 'See notes of everybody', de: 'Notizen aller sehen' },
    'notes:remove': { 'en-US': 'Remove notes of everybody', de: 'Notizen aller entfernen' },
  },
  // Number of requests, and the period in seconds.
  buckets: {
    'notes:read': [60, 60],
    'notes:write': [30, 60],
    'notes:watch': [10, 60],
    'notes:page': [120, 60],
  },
  events: {
    /** The account or one of its webhooks has written a note */
    NOTES_CREATED: gatewayEvent<NoteView>(),
    /** The response to NOTES_WATCH: the newest notes */
    NOTES_WATCHED: gatewayEvent<{ readonly notes: readonly NoteView[] }>(),
  },
  exports: {
    notes: { select: 'SELECT id, owner_id, text, created_at FROM notes WHERE owner_id = $1 ORDER BY id' },
  },
  erasure: { notes: { column: 'owner_id' } },
  auditActions: { 'notes:remove': 'note' },
});

declare module '@gatehouse-auth/server' {
  interface Features {
    notes: typeof notes;
  }
}
