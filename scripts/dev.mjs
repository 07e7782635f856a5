/** `npm run dev`: runs the service and its pages, and rebuilds and reloads them when a source changes. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, webStamp } from './build.mjs';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

await build();
// In watch mode, the pages are built for development. The next start must build them again for production.
rmSync(webStamp);
const root = join(import.meta.dirname, '..');
const env = { ...process.env, PAGES_WATCHED: '1' };
const run = (...args) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env });

const children = [
  run('--watch-path=src', 'scripts/start.cjs'),
  run(
    ...['node_modules/vite/bin/vite.js', 'build', '--watch', '--config', 'web/vite.config.ts'],
    ...['--mode', 'development', '--emptyOutDir', 'false', '--logLevel', 'warn'],
  ),
];
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
}
children[0].on('exit', (code) => {
  children[1].kill();
  process.exit(code ?? 0);
});
