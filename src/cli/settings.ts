import { environmentExample, settingsTable } from '../core/config/printed.js';
import { allSettings } from '../features.js';
import { settingsOf } from '../policy/extension.js';
import { type Command, UsageError } from './terminal/command.js';
import { printResult } from './terminal/words.js';

export const settings: Command = async (args, terminal) => {
  const [option, ...more] = args;
  if (more.length > 0 || (option !== undefined && option !== '--markdown')) {
    throw new UsageError(`Unexpected argument: ${more[0] ?? option}`);
  }
  const all = allSettings(settingsOf(terminal.extension ?? {}));
  const text = option ? settingsTable(all) : environmentExample(all);
  printResult(terminal, all, text.trimEnd().split('\n'));
  return 0;
};
