import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

const ROOT = join(import.meta.dirname, '..');
/** What takes longest, the slowest first: begun last, one of these would be what all other workers wait for. */
export const SLOW = [
  'contract/auth-1.7-many-sessions.e2e-spec.ts',
  'history/history.e2e-spec.ts',
  'process.e2e-spec.ts',
  'package.e2e-spec.ts',
  'contract/conventions-hostile-input.e2e-spec.ts',
  'fuzz/fuzz.e2e-spec.ts',
  'replicas.e2e-spec.ts',
  'generator.e2e-spec.ts',
  'contract/5.5-order-of-outcomes.e2e-spec.ts',
  'cli.e2e-spec.ts',
  'description.e2e-spec.ts',
  'contract/conventions-bounds.e2e-spec.ts',
  'data-directory.e2e-spec.ts',
].map((path) => join(ROOT, path));

const placeOf = ({ path }) => (SLOW.includes(path) ? SLOW.indexOf(path) : SLOW.length);

/** Jest knows how long files took where it ran them before; a fresh clone has only this to go by. */
export default class SlowFirst extends Sequencer {
  sort(tests) {
    const missing = SLOW.filter((path) => !existsSync(path));
    if (missing.length > 0) throw new Error(`test/setup/slow-first.js names what is not there: ${missing}`);
    return super.sort(tests).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
