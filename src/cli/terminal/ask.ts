import { createInterface, type Interface } from 'node:readline';
import { CommandError, type Terminal } from './command.js';

/**
 * Asks the person at a terminal, from the first question on. One reader takes all answers: what was typed ahead belongs to
 * the next question. @throws CommandError when they end the input instead of answering
 */
export function asker(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): NonNullable<Terminal['ask']> {
  let reader: Interface | undefined;
  let lines: AsyncIterator<string> | undefined;
  return async (question) => {
    reader ??= createInterface({ input, output });
    lines ??= reader[Symbol.asyncIterator]();
    reader.setPrompt(question);
    reader.prompt();
    const line = await lines.next();
    if (line.done) throw new CommandError('nobody answered: nothing was written');
    return line.value;
  };
}
