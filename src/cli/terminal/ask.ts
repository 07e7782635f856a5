import { createInterface, type Interface } from 'node:readline';
import { CommandError, type Console } from './command.js';

/**
 * Asks the user at a terminal. The reader is created with the first question and reads all answers. Text typed ahead
 * therefore answers the next question.
 * @throws CommandError if the user ends the input instead of answering
 */
export function createPrompt(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): NonNullable<Console['ask']> {
  let reader: Interface | undefined;
  let lines: AsyncIterator<string> | undefined;
  return async (question) => {
    reader ??= createInterface({ input, output });
    lines ??= reader[Symbol.asyncIterator]();
    reader.setPrompt(question);
    reader.prompt();
    const line = await lines.next();
    if (line.done) throw new CommandError('No input. Nothing was written.');
    return line.value;
  };
}
