import { join } from 'node:path';

// The library is outside of the folder of the site. Tools skip what is built in `node_modules`.
export default { distDir: 'node_modules/.next', turbopack: { root: join(import.meta.dirname, '../../../..') } };
