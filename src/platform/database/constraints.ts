import { QueryFailedError } from 'typeorm';

const UNIQUE_VIOLATION = '23505';

/** Whether a statement lost against a unique index of this name. */
export const violates = (error: unknown, constraint: string): boolean => {
  const driver =
    error instanceof QueryFailedError ? (error.driverError as { code?: string; constraint?: string }) : null;
  return driver?.code === UNIQUE_VIOLATION && driver.constraint === constraint;
};
