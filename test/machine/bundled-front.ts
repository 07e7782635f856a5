import { createInterface } from 'node:readline';
import { ServiceProcess } from './service-process.js';

/**
 * The bundle as a second replica on the database of a test's service: the clients of the test talk to it instead. The
 * service itself stays, for what a test looks up in the process.
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
