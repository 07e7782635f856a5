import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Versions = Readonly<Record<string, string>>;

/** What is read of the package.json of this package. */
export interface OwnPackage {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly peerDependencies: Versions;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Beside `src` in a checkout, beside `dist` in a package. */
export function ownPackage(): OwnPackage {
  const folders = ['../..', '../../..'].map((path) => join(import.meta.dirname, path));
  const packages = folders.map((folder) => join(folder, 'package.json')).filter((path) => existsSync(path));
  for (const path of packages) {
    const own = JSON.parse(readFileSync(path, 'utf8')) as OwnPackage & { readonly name?: string };
    if (own.name === 'gatehouse') return own;
  }
  throw new Error('the package.json of gatehouse is missing');
}
