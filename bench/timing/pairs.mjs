import { CONTROLS } from './controls.mjs';
import { ENUMERATION } from './enumeration.mjs';
import { SECRETS, SETUP } from './secrets.mjs';

/**
 * Pairs of requests that must have equal responses in equal time. `status` is that of both requests. `prepare(stage)`
 * creates what they need, and `cleanUp` undoes it. `request(isFirst, round, prepared)` returns a request of the first
 * or the second class. A request with `identify` sends that token to the gateway, and `status` is then the close code
 * of the socket.
 */
export const PAIRS = [SETUP, ...ENUMERATION, ...SECRETS];
export { CONTROLS };
