import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Versions = Readonly<Record<string, string>>;

/** The members of this package's package.json that are read. */
export interface OwnPackage {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly peerDependencies: Versions;
  /** Versions of packages of others, such as those that run on every supported version of Node.js. */
  readonly overrides: Readonly<Record<string, string | Versions>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The name of this package. */
export const NAME = '@gatehouse-auth/server';

const packageIn = (folder: string): OwnPackage & { readonly name?: string } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The folder of this package: next to `src` in a checkout, next to `dist` in an installation. */
export function ownFolder(): string {
  const folders = ['../..', '../../..'].map((path) => join(import.meta.dirname, path));
  const own = folders.find((folder) => existsSync(join(folder, 'package.json')) && packageIn(folder).name === NAME);
  if (own === undefined) throw new Error('The package.json of Gatehouse was not found');
  return own;
}

export const ownPackage = (): OwnPackage => packageIn(ownFolder());

/** The version of this package. `dev` if the sources run without a build. */
export function ownVersion(): string {
  const isBuilt = import.meta.dirname.startsWith(join(ownFolder(), 'dist'));
  return isBuilt ? ownPackage().version : 'dev';
}
