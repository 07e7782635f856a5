import { QueryFailedError } from 'typeorm';

const UNIQUE_VIOLATION = '23505';

/** Whether a statement lost against a unique index of this name. */
export const violates = (error: unknown, constraint: string): boolean => {
  const driver =
    error instanceof QueryFailedError ? (error.driverError as { code?: string; constraint?: string }) : null;
  return driver?.code === UNIQUE_VIOLATION && driver.constraint === constraint;
};

const DEADLOCK = '40P01';

/** Whether somebody else was faster: the same work, begun anew, sees what they did. */
export const lostRace = (error: unknown): boolean =>
  error instanceof QueryFailedError &&
  [UNIQUE_VIOLATION, DEADLOCK].includes((error.driverError as { code?: string }).code ?? '');

/** Data, constraints, lost races, waits and statements that were given up. */
const REFUSED = /^(?:2[23]|40|55)...$|^57014$/;

/** Whether the server has said itself that a statement, and with it its transaction, came to nothing. */
export const isUncommitted = (error: unknown): boolean => REFUSED.test(String((error as { code?: unknown }).code));
