/**
 * Loads the database driver as the service does. If the peers are installed, a bare `pg` is a copy that only they use.
 */
import { createRequire } from 'node:module';

export const { Client } = createRequire(new URL('../../dist/src/index.js', import.meta.url))('pg');
