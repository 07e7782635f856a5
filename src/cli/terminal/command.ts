import type { Env } from '../../core/config/reader.js';
import type { Extension } from '../../core/extension.js';
import type { EmbeddedEngine } from '../../platform/database/engine.js';

/** What a command is given, and where it writes. */
export interface Terminal {
  readonly env: Env;
  /** What a team brings. */
  readonly extension?: Extension;
  /** Finds what a team brings, where it was not passed, for the commands that ask for it. */
  readonly findExtension?: () => Promise<Extension | undefined>;
  /** The folder in which the command was typed, to which the paths among its arguments are relative. */
  readonly folder?: string;
  /** An embedded database that the caller opened and closes, instead of the one in `DATA_DIR`. */
  readonly embeddedDatabase?: EmbeddedEngine;
  /** Asks the person who typed the command and answers their line; none where nobody is there. */
  readonly ask?: (question: string) => Promise<string>;
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
