/**
 * How long one answer, one step of a page or one start of a process is waited for: many times of what it takes on a busy
 * machine, and less than a test may take (jest.config.js), so that who waits in vain is told for what.
 */
export const PATIENCE_MS = 240_000;

/** What a service of tests is told besides: a machine that is late for everything is no reason to refuse a request. */
export const UNHURRIED = { DATABASE_PATIENCE: '20', MAX_LOOP_DELAY_MS: '0' };
