import { environmentExample, settingsTable } from '../core/config/printed.js';
import { allSettings } from '../features.js';
import { settingsOf } from '../policy/extension.js';
import { type Command, UsageError } from './terminal/command.js';

export const settings: Command = async (args, { out, extension = {} }) => {
  const [option, ...more] = args;
  if (more.length > 0 || (option !== undefined && option !== '--markdown')) {
    throw new UsageError(`Unexpected argument: ${more[0] ?? option}`);
  }
  const all = allSettings(settingsOf(extension));
  out((option ? settingsTable(all) : environmentExample(all)).trimEnd());
  return 0;
};
