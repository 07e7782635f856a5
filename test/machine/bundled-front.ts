import { createInterface } from 'node:readline';
import { ServiceProcess } from './service-process.js';

/**
 * Starts the bundle as a second replica on the database of a test's service. The clients of the test call the bundle
 * instead of the service. The service keeps running, because tests inspect its process.
 */
export async function startFront(env: Readonly<Record<string, string | undefined>>, write: (line: string) => void) {
  if (!env.DATABASE_URL) throw new Error('The bundle needs a database server. Set TEST_DATABASE_URL.');
  const front = await ServiceProcess.ready({ ...env, LOG_FORMAT: 'json' });
  if (front.child.stdout) createInterface({ input: front.child.stdout }).on('line', (line) => write(`${line}\n`));
  return {
    port: Number(new URL(front.url).port),
    async close(): Promise<void> {
      const code = await front.stop();
      if (code !== 0) throw new Error(`The bundle ended with ${code}: ${front.err}`);
    },
  };
}
