import { extension } from '@gatehouse-auth/server';
import { notes } from './notes/notes.feature.js';

/** The extension of this project, which the service, its commands and the tests load. */
export default extension({
  compatibleWith: '^1.0.0',
  features: [notes],
  descriptions: ['dist/description.json'],
});
