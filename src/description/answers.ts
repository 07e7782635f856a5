import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const recorded: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'answers.json'), 'utf8'),
);

/** The example response of an operation, recorded while its tests ran (`npm run examples`). */
export const answerOf = (operation: string, status: string): { example: unknown } | undefined => {
  const key = `${operation} ${status}`;
  return key in recorded ? { example: recorded[key] } : undefined;
};
