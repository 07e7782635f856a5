/**
 * The timeout for a response, a step of a page or the start of a process. It is many times the usual duration on a busy
 * machine. It is shorter than the timeout of a test (jest.config.js), so that the error names the cause.
 */
export const WAIT_TIMEOUT_MS = 120_000;

/** Additional settings of services in tests. With them, a slow machine does not cause rejected requests. */
export const GENEROUS_TIMEOUTS = { DATABASE_PATIENCE: '20', MAX_LOOP_DELAY_MS: '0' };
