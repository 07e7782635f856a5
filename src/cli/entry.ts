import type { Command } from './terminal/command.js';

/** A command with its help. */
export interface Entry {
  /** The words of the command with its arguments. */
  readonly usage: string;
  /** An imperative sentence without period. */
  readonly summary: string;
  /** Each option with its effect and default. */
  readonly options?: Readonly<Record<string, string>>;
  /** The arguments of one useful call, without the words of the command. */
  readonly example: string;
  /** Loads the command only when it runs, because most commands load the whole service. */
  load(): Promise<Command>;
  /** The command writes an entry in the audit log, so it has `--reason`. */
  readonly isAudited?: boolean;
  /** The command does not load the extension, which may not be built yet. */
  readonly skipsExtension?: boolean;
}
