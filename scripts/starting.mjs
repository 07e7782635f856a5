import { once } from 'node:events';

/**
 * Waits until a service is ready, and returns its URL.
 * @throws Error with its output, if it exits before that
 */
export async function listening(service) {
  let out = '';
  service.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const ended = once(service, 'exit').then(() => true);
  while (!/^Database .+\n|"database":.+\n/m.test(out)) {
    const isOver = await Promise.race([ended, once(service.stdout, 'data').then(() => false)]);
    if (isOver) throw new Error(`the service did not start:\n${out}`);
  }
  return /^Listening +(http:\S+)$|"listening":"(http:[^"]+)"/m.exec(out).slice(1).find(Boolean);
}

/**
 * True if the output of a service shows that it loaded its modules from the compile cache. The service must run with
 * `NODE_DEBUG_NATIVE=COMPILE_CACHE`. A few modules are exempt, because the embedded database loads them with its own
 * flags.
 */
export function isPrecompiled(written) {
  const times = (what) => written.split(` was ${what}`).length - 1;
  return times('accepted') > 100 && times('rejected') < 5;
}
