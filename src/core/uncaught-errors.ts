import { StartError } from './config/start-error.js';
import { fatalErrorLine, redactText } from './log.js';
import { sourceMappedStack } from './stack.js';

let isJson = false;

/** Sets the format of fatal errors from the environment: JSON in production, unless the log is set to plain text. */
export function readFatalErrorFormat({ NODE_ENV, LOG_FORMAT }: NodeJS.ProcessEnv): void {
  isJson = NODE_ENV?.trim() === 'production' && LOG_FORMAT?.trim() !== 'pretty';
}

/** Prints a startup failure to stderr; operator errors without a stack. */
export function reportFatalError(error: unknown): void {
  if (isJson) {
    process.stderr.write(fatalErrorLine(error));
    return;
  }
  const isPlain = error instanceof StartError || !(error instanceof Error);
  const text = isPlain
    ? String(error instanceof Error ? error.message : error)
    : sourceMappedStack(error) || error.message;
  process.stderr.write(`${redactText(text)}\n`);
}

/** Reports the failure of a promise that no code awaits, when no log exists. The process continues. */
export const reportFailure = (error: unknown): void => reportFatalError(error);

function reportAndExit(error: unknown): never {
  reportFatalError(error);
  process.exit(1);
}

let faultHandler: (error: unknown) => void = reportAndExit;
const handleFault = (error: unknown): void => faultHandler(error);

/** Installs the handler for uncaught exceptions and rejections. By default it prints the error and exits with 1. */
export function onUncaughtError(handler: (error: unknown) => void = reportAndExit): void {
  faultHandler = handler;
  process.off('uncaughtException', handleFault).on('uncaughtException', handleFault);
  process.off('unhandledRejection', handleFault).on('unhandledRejection', handleFault);
}
