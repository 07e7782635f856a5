import { once } from 'node:events';

/**
 * Where a service listens that was just started, once it is ready.
 * @throws Error with what it wrote, if it ends before that
 */
export async function listening(service) {
  let out = '';
  service.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const ended = once(service, 'exit').then(() => true);
  while (!/^Database .+\n/m.test(out)) {
    const isOver = await Promise.race([ended, once(service.stdout, 'data').then(() => false)]);
    if (isOver) throw new Error(`the service did not start:\n${out}`);
  }
  return /^Listening +(http:\S+)$/m.exec(out)[1];
}

/**
 * Whether a service that ran with `NODE_DEBUG_NATIVE=COMPILE_CACHE` found compiled what it loads, by what it wrote: all but the
 * few modules that the embedded database loads under flags of its own.
 */
export function isPrecompiled(written) {
  const times = (what) => written.split(` was ${what}`).length - 1;
  return times('accepted') > 100 && times('rejected') < 5;
}
