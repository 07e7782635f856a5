/** Runs the service: `node dist/src/main.cjs`. */
require('./core/thread-pool.cjs');

import('./main.js');
