import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { recorded } from './times.js';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

const ROOT = join(import.meta.dirname, '../..');
const secondsOf = ({ path }) => recorded[relative(ROOT, path)] ?? 0;

/** Starts the slowest files first. A slow file at the end would keep the other workers waiting. */
export default class SlowFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => secondsOf(other) - secondsOf(one));
  }
}
