import { StartError } from './config/start-error.js';
import { redactText } from './log.js';
import { stackOf } from './stack.js';

/** The last words of a process that has no service yet; for what an operator can mend, the message is all of them. */
export function tellEnd(error: unknown): void {
  const isPlain = error instanceof StartError || !(error instanceof Error);
  const text = isPlain ? String(error instanceof Error ? error.message : error) : stackOf(error) || error.message;
  process.stderr.write(`${redactText(text)}\n`);
}

/** For a promise that nothing awaits, where there is no log; the process goes on. */
export const reportFailure = (error: unknown): void => tellEnd(error);

function giveUp(error: unknown): never {
  tellEnd(error);
  process.exit(1);
}

let onFault: (error: unknown) => void = giveUp;
const fault = (error: unknown): void => onFault(error);

/** From now on, what nobody catches goes to `heard`; before there is a service, it is written and ends the process with 1. */
export function catchFaults(heard: (error: unknown) => void = giveUp): void {
  onFault = heard;
  process.off('uncaughtException', fault).on('uncaughtException', fault);
  process.off('unhandledRejection', fault).on('unhandledRejection', fault);
}
