import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { describeProject } from '../description/compiler/describe.js';
import { type Command, CommandError } from './command.js';

export const describe: Command = async (args, { out }) => {
  const { values } = parseArgs({
    args,
    options: {
      project: { type: 'string', default: 'tsconfig.json' },
      out: { type: 'string', default: 'dist/description.json' },
    },
  });
  const described = await describeProject(values.project).catch((error) =>
    Promise.reject(new CommandError((error as Error).message)),
  );
  mkdirSync(dirname(values.out), { recursive: true });
  writeFileSync(values.out, JSON.stringify(described));
  const handlers = Object.values(described.controllers).flatMap((controller) => Object.values(controller.handlers));
  out(`${values.out}: ${handlers.length} handlers of ${Object.keys(described.controllers).length} controllers`);
  return 0;
};
