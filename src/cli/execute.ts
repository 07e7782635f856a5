import { commandLine } from '../core/command-line.js';
import { ConfigurationError, StartError } from '../core/config/start-error.js';
import { ownPackage } from '../core/own-package.js';
import { sourceMappedStack } from '../core/stack.js';
import { editDistance, MAX_TYPOS } from '../core/text/similar.js';
import { toStartError } from '../core/to-start-error.js';
import { assertCompatible } from '../policy/extension.js';
import { COMMANDS } from './commands.js';
import type { Entry } from './entry.js';
import { takeCommonOptions } from './terminal/arguments.js';
import { CommandError, type Console, UsageError } from './terminal/command.js';
import { escapeForTerminal } from './terminal/words.js';

const JSON_OPTION = '--json';
/** Maximum number of words in the name of a command. */
const MAX_COMMAND_WORDS = 3;

const isVersion = (arg: string | undefined): boolean => arg === '-V' || arg === '--version';
const isHelp = (arg: string): boolean => arg === '-h' || arg === '--help';

const about = (entries: readonly Entry[]): string =>
  entries.map(({ usage, summary }) => `  ${usage}\n      ${summary}`).join('\n');

/** The help of one command. */
function formatHelp(name: string, { usage, summary, options = {}, example }: Entry): string {
  const lines = Object.entries(options).map(([option, effect]) => `  ${option}\n      ${effect}`);
  const parts = [`usage: ${commandLine(usage)}`, `  ${summary}`];
  if (lines.length > 0) parts.push(`options:\n${lines.join('\n')}`);
  parts.push(`example:\n  ${commandLine(`${name} ${example}`.trim())}`);
  return parts.join('\n\n');
}

/** Says that a command is unknown, and which similar one there is. */
function describeUnknown(args: readonly string[]): string {
  const given = args.slice(0, MAX_COMMAND_WORDS).join(' ');
  const distances = Object.keys(COMMANDS).map((name) => {
    const same = args.slice(0, name.split(' ').length).join(' ');
    return [editDistance(same, name), name] as const;
  });
  const [distance, nearest] = distances.sort(([a], [b]) => a - b)[0] ?? [Number.POSITIVE_INFINITY, ''];
  return `Unknown command: ${given}.${distance <= MAX_TYPOS ? ` Did you mean ${nearest}?` : ''}`;
}

/** The usage of all commands, or of those that begin with these words. */
function formatUsage(words: readonly string[]): string {
  const begin = words.join(' ');
  const fits = (name: string) => name === begin || name.startsWith(`${begin} `);
  const entries = Object.entries(COMMANDS).filter(([name]) => begin === '' || fits(name));
  const [only] = entries;
  if (only && entries.length === 1) return formatHelp(...only);
  return `usage: ${commandLine('<command>')}\n\n${about(entries.map(([, entry]) => entry))}`;
}

/** Finds the longest prefix of the arguments that names a command or begins the name of one. */
function matchCommand(args: readonly string[]): { readonly words: readonly string[]; readonly entry?: Entry } {
  for (let count = Math.min(MAX_COMMAND_WORDS, args.length); count > 0; count--) {
    const words = args.slice(0, count);
    const name = words.join(' ');
    const entry = COMMANDS[name];
    if (entry) return { words, entry };
    if (Object.keys(COMMANDS).some((other) => other.startsWith(`${name} `))) return { words };
  }
  return { words: [] };
}

/** The only place that escapes output for the terminal. Commands write stored text unchanged. */
const escapeOutput = (terminal: Console): Console => {
  const { ask } = terminal;
  return {
    ...terminal,
    ...(ask && { ask: (question) => ask(escapeForTerminal(question)) }),
    out: (line) => terminal.out(escapeForTerminal(line)),
    err: (line) => terminal.err(escapeForTerminal(line)),
  };
};

/** Runs a command line and returns the exit code. */
export async function execute(args: string[], given: Console): Promise<number> {
  const terminal = escapeOutput(given);
  const { words, entry } = matchCommand(args[0] === 'help' ? args.slice(1) : args);
  if (args[0] === 'help' || args.some(isHelp)) {
    terminal.out(formatUsage(words));
    return 0;
  }
  if (isVersion(args[0])) {
    terminal.out(ownPackage().version);
    return 0;
  }
  try {
    const typed = args.filter((arg) => arg !== JSON_OPTION);
    if (!entry) throw new UsageError(typed.length === 0 ? 'Command missing.' : describeUnknown(typed));
    const extension = terminal.extension ?? (entry.skipsExtension ? undefined : await terminal.findExtension?.());
    if (extension) assertCompatible(extension);
    const { rest, ...common } = takeCommonOptions(args.slice(words.length), entry);
    const command = await entry.load();
    return await command(rest, { ...terminal, ...common, ...(extension && { extension }) });
  } catch (error) {
    return explainFailure(error, { words, isJson: wantsJson(args) }, terminal);
  }
}

const isUsageFault = (error: unknown): error is Error =>
  error instanceof UsageError || String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');

/** Read before the options are parsed, which can fail. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes(JSON_OPTION);
}

/** The code of an error in JSON. Programs can depend on it. */
function codeOf(error: unknown): string {
  if (isUsageFault(error)) return 'INVALID_USAGE';
  if (error instanceof CommandError) return error.code;
  if (error instanceof ConfigurationError) return 'INVALID_SETTINGS';
  return error instanceof StartError ? 'CANNOT_START' : 'INTERNAL_ERROR';
}

function explainFailure(
  thrown: unknown,
  { words, isJson }: { readonly words: readonly string[]; readonly isJson: boolean },
  { err }: Console,
): number {
  const error = toStartError(thrown);
  const exitCode = isUsageFault(error) ? 2 : 1;
  if (isJson) {
    const message = error instanceof Error ? error.message : String(error);
    err(JSON.stringify({ error: { code: codeOf(error), message } }));
    return exitCode;
  }
  if (isUsageFault(error)) err(`${error.message}\n\n${formatUsage(words)}`);
  else if (error instanceof CommandError || error instanceof StartError) err(error.message);
  else err(error instanceof Error ? sourceMappedStack(error) || error.message : String(error));
  return exitCode;
}
