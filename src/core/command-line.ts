import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A checkout has the scripts beside the sources, or beside what they are built to; an installation has the command. */
const isCheckout = ['../../scripts/cli.mjs', '../../../scripts/cli.mjs'].some((path) => existsSync(fromHere(path)));

/** How a command is typed here. */
export const commandLine = (command: string): string => `${isCheckout ? 'npm run cli --' : 'gatehouse'} ${command}`;
