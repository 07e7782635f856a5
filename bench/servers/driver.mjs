/** The database driver as the service loads it: a bare `pg` is, where the peers are installed, a copy that only they use. */
import { createRequire } from 'node:module';

export const { Client } = createRequire(new URL('../../dist/src/index.js', import.meta.url))('pg');
