import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { describeProject } from '../description/compiler/describe.js';
import { type Command, CommandError } from './terminal/command.js';
import { printResult } from './terminal/words.js';

export const describe: Command = async (args, terminal) => {
  const { folder = '.' } = terminal;
  const { values } = parseArgs({
    args,
    options: {
      project: { type: 'string', default: 'tsconfig.json' },
      out: { type: 'string', default: 'dist/description.json' },
    },
  });
  const described = await describeProject(resolve(folder, values.project)).catch((error) =>
    Promise.reject(new CommandError((error as Error).message)),
  );
  const file = resolve(folder, values.out);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(described));
  const handlers = Object.values(described.controllers).flatMap((controller) => Object.values(controller.handlers));
  const controllers = Object.keys(described.controllers).length;
  printResult(terminal, { file: values.out, handlers: handlers.length, controllers }, [
    `${values.out}: ${handlers.length} handlers of ${controllers} controllers`,
  ]);
  return 0;
};
