import { StartError } from './config/start-error.js';
import { redactText } from './log.js';
import { stackOf } from './stack.js';

/** Prints a startup failure to stderr; operator errors without a stack. */
export function tellEnd(error: unknown): void {
  const isPlain = error instanceof StartError || !(error instanceof Error);
  const text = isPlain ? String(error instanceof Error ? error.message : error) : stackOf(error) || error.message;
  process.stderr.write(`${redactText(text)}\n`);
}

/** Reports the failure of a promise that no code awaits, when no log exists. The process continues. */
export const reportFailure = (error: unknown): void => tellEnd(error);

function giveUp(error: unknown): never {
  tellEnd(error);
  process.exit(1);
}

let onFault: (error: unknown) => void = giveUp;
const fault = (error: unknown): void => onFault(error);

/** Installs the handler for uncaught exceptions and rejections. By default it prints the error and exits with 1. */
export function catchFaults(heard: (error: unknown) => void = giveUp): void {
  onFault = heard;
  process.off('uncaughtException', fault).on('uncaughtException', fault);
  process.off('unhandledRejection', fault).on('unhandledRejection', fault);
}
