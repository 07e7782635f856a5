import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const recordedResponses: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'answers.json'), 'utf8'),
);

/** The example response of an operation, recorded while its tests ran (`npm run examples`). */
export const exampleResponse = (operation: string, status: string): { example: unknown } | undefined => {
  const key = `${operation} ${status}`;
  return key in recordedResponses ? { example: recordedResponses[key] } : undefined;
};
