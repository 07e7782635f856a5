import { CONTROLS } from './controls.mjs';
import { ENUMERATION } from './enumeration.mjs';
import { SECRETS, SETUP } from './secrets.mjs';

/**
 * Pairs of requests that are answered alike and must take as long: `name`, the `status` of both, what they need
 * (`prepare(stage)`, undone by `cleanUp`), and `request(isFirst, round, prepared)`, of the first or of the second class. A
 * request with `identify` shows that token to the gateway; `status` is the code then that closes the socket.
 */
export const PAIRS = [SETUP, ...ENUMERATION, ...SECRETS];
export { CONTROLS };
