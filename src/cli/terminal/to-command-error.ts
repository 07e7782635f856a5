import { commandLine } from '../../core/command-line.js';
import { ApiError } from '../../core/errors.js';
import { featureRegistry } from '../../features.js';
import { DatabaseInUseError } from '../../platform/database/directory-lock.js';
import type { Extension } from '../../policy/extension.js';
import { CommandError } from './command.js';

const OUTDATED_SCHEMA_SQLSTATES: ReadonlySet<string> = new Set(['42P01', '42703']);

/** Converts known errors to messages for the user of the command. */
export function toCommandError(error: unknown, extension?: Extension): unknown {
  if (error instanceof DatabaseInUseError) {
    const hint = 'Only one process can use the embedded database. Stop the service, then run the command again.';
    return new CommandError(`${error.message}.\n${hint}`, 'DATABASE_IN_USE');
  }
  if (error instanceof ApiError) {
    const { message } = featureRegistry(extension).describe(error);
    return new CommandError(`${error.code}: ${message}`, error.code);
  }
  if (OUTDATED_SCHEMA_SQLSTATES.has((error as { code?: string }).code ?? '')) {
    const hint = `The database schema is outdated. Run \`${commandLine('migrate')}\` first.`;
    return new CommandError(hint, 'SCHEMA_OUTDATED');
  }
  return error;
}
