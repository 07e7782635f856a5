import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A checkout contains the scripts next to the sources or the build. An installation has the `gatehouse` command. */
const isCheckout = ['../../scripts/cli.mjs', '../../../scripts/cli.mjs'].some((path) => existsSync(fromHere(path)));

/** The command as the user types it here. */
export const commandLine = (command: string): string => `${isCheckout ? 'npm run cli --' : 'gatehouse'} ${command}`;
