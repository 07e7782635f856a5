import { QueryFailedError } from 'typeorm';

const UNIQUE_VIOLATION = '23505';

/** Whether a statement violated the unique constraint or index of this name. */
export const violatesConstraint = (error: unknown, constraint: string): boolean => {
  const driver =
    error instanceof QueryFailedError ? (error.driverError as { code?: string; constraint?: string }) : null;
  return driver?.code === UNIQUE_VIOLATION && driver.constraint === constraint;
};

const DEADLOCK = '40P01';

/** Whether a concurrent transaction won (unique violation or deadlock). A retry sees what that transaction wrote. */
export const isWriteConflict = (error: unknown): boolean =>
  error instanceof QueryFailedError &&
  [UNIQUE_VIOLATION, DEADLOCK].includes((error.driverError as { code?: string }).code ?? '');

/**
 * SQLSTATE classes 22, 23, 40 and 55, and 57014: data errors, constraints, rollbacks, locks and canceled statements.
 */
const ROLLED_BACK_CODES = /^(?:2[23]|40|55)...$|^57014$/;

/** Whether the error proves that the server rolled back the statement and its transaction. */
export const isUncommitted = (error: unknown): boolean =>
  ROLLED_BACK_CODES.test(String((error as { code?: unknown }).code));
