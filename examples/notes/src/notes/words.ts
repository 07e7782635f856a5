import {
  registerAcl,
  registerAuditAction,
  registerBucket,
  registerErrorCode,
  registerScope,
} from '@gatehouse-auth/server';
import type { NoteView } from './note.entity.js';

declare module '@gatehouse-auth/server' {
  interface ExtraErrorCodes {
    UNKNOWN_NOTE: true;
    TOO_MANY_NOTES: true;
  }
  interface EventTypes {
    /** Somebody has written a note, or a webhook has */
    NOTE_CREATED: NoteView;
    /** Answers NOTES_WATCH: the newest notes */
    NOTES_WATCHED: { readonly notes: readonly NoteView[] };
  }
}

registerScope('notes.read', { 'en-US': 'Read your notes', de: 'Ihre Notizen lesen' });
registerScope('notes.write', {
  'en-US': 'Write and delete notes for you',
  de: 'Notizen für Sie schreiben und löschen',
});
registerAcl('notes:lookup', { 'en-US': 'See notes of everybody', de: 'Notizen aller sehen' });
registerAcl('notes:remove', { 'en-US': 'Remove notes of everybody', de: 'Notizen aller entfernen' });
registerErrorCode('UNKNOWN_NOTE', 404, 'Unknown note.');
registerErrorCode('TOO_MANY_NOTES', 409, 'There is no room for another note.');
registerBucket('notes:read', 60, 60);
registerBucket('notes:write', 30, 60);
registerBucket('notes:watch', 10, 60);
registerBucket('notes:page', 120, 60);

export const NOTE_REMOVED = registerAuditAction('notes:remove', 'note');
