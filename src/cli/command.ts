import type { Env } from '../core/config/reader.js';

/** What a command is given, and where it writes. */
export interface Terminal {
  readonly env: Env;
  out(line: string): void;
  err(line: string): void;
}

/**
 * Carries out a command and answers its exit code. Throws `UsageError` for input that it does not understand,
 * `CommandError` for a refusal.
 */
export type Command = (args: string[], terminal: Terminal) => Promise<number>;

/** The command line is not understood: usage text, exit code 2. */
export class UsageError extends Error {}

/** The command cannot be carried out, for a reason that the message tells: exit code 1. */
export class CommandError extends Error {}
