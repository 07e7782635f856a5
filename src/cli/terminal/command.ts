import type { Env } from '../../core/config/reader.js';
import type { EmbeddedEngine } from '../../platform/database/engine.js';
import type { Extension } from '../../policy/extension.js';

/** The environment, input and output that the caller of a command line provides. */
export interface Console {
  readonly env: Env;
  /** The extension, if it was passed. */
  readonly extension?: Extension;
  /** Finds the extension if it was not passed, for commands that need it. */
  readonly findExtension?: () => Promise<Extension | undefined>;
  /** The folder in which the command was typed. Paths in its arguments are relative to it. */
  readonly folder?: string;
  /** An embedded database that the caller opens and closes, in place of the one in `DATA_DIR`. */
  readonly embeddedDatabase?: EmbeddedEngine;
  /** Asks the user and returns the input; absent if the terminal is not interactive. */
  readonly ask?: (question: string) => Promise<string>;
  out(line: string): void;
  err(line: string): void;
}

/** The console of a command, with the options that every command has. */
export interface Terminal extends Console {
  /** With `--json`, results are printed as JSON. */
  readonly isJson: boolean;
  /** The text of `--reason`, for the audit log. */
  readonly reason: string | null;
}

/**
 * Runs a command and returns its exit code.
 * @throws UsageError if the arguments are invalid
 * @throws CommandError if the command fails for an expected reason
 */
export type Command = (args: string[], terminal: Terminal) => Promise<number>;

/** The command line is invalid: prints the usage, exit code 2. */
export class UsageError extends Error {}

/** The command cannot run for the reason in the message: exit code 1. */
export class CommandError extends Error {
  constructor(
    message: string,
    /** With `--json`, the error has this code. */
    readonly code = 'COMMAND_FAILED',
  ) {
    super(message);
  }
}
