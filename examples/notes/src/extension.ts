import { extension } from '@gatehouse-auth/server';
import { CreateNotes1800000000000 } from './migrations/1800000000000-create-notes.js';
import { Note } from './notes/note.entity.js';
import { NotesModule } from './notes/notes.module.js';
import { NotesSettings } from './notes/notes.settings.js';

/** What this project brings: the service, its commands and the tests are told of it here. */
export default extension({
  compatibleWith: '^1.0.0',
  modules: [NotesModule],
  settings: [NotesSettings],
  entities: [Note],
  migrations: [CreateNotes1800000000000],
  descriptions: ['dist/description.json'],
});
