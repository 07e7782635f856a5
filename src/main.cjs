/** Runs the service: `node dist/src/main.cjs`. */
require('./thread-pool.cjs');

import('./main.js');
