import { createRequire } from 'node:module';
import type { DynamicModule, Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { DeclaredSettings } from './config/declared.js';
import { StartError } from './config/start-error.js';
import { ownPackage } from './own-package.js';

/** What a team brings: everything that the service, its commands and the test kit are told of it. */
export interface Extension {
  /** The versions of Gatehouse that it was made for, as a range of npm: `^1.0.0`. Another version does not start. */
  readonly madeFor?: string;
  /** Nest modules, beside those of the service. */
  readonly modules?: readonly (Type | DynamicModule)[];
  /** Classes made by `settings(...)`, read and validated with ours and injected by their class. */
  readonly settings?: readonly DeclaredSettings[];
  /** Entities of TypeORM. Their tables are made by `migrations`. */
  readonly entities?: readonly Type[];
  /** Classes whose name ends in a timestamp of 13 digits. They run after ours, and are kept in `team_migration`. */
  readonly migrations?: readonly (new () => MigrationInterface)[];
  /**
   * What runs before the guards or without them, by name, and why: middleware of modules, and what is registered on Express
   * or Fastify itself. What is not named here does not start, with a message that tells the name. `gatehouse routes` lists it.
   */
  readonly unguarded?: Readonly<Record<string, string>>;
  /** Files that `gatehouse describe` wrote, relative to the folder of the project, where the service is started. */
  readonly descriptions?: readonly string[];
}

/** Names what a team brings, for `start`, for `createApp`, for the test kit, and for `gatehouse.extension` of a package.json. */
export const extension = (brought: Extension): Extension => Object.freeze({ ...brought });

/** @throws StartError when the extension was made for other versions than this one, or says so in no readable way */
export function demandMadeFor({ madeFor }: Extension): void {
  if (madeFor === undefined) return;
  const { satisfies, validRange } = createRequire(import.meta.url)('semver') as typeof import('semver');
  if (validRange(madeFor) === null) {
    throw new StartError(`the extension says that it was made for "${madeFor}", which is no range of versions`);
  }
  const { version } = ownPackage();
  if (satisfies(version, madeFor, { includePrerelease: true })) return;
  throw new StartError(`the extension was made for Gatehouse ${madeFor} and does not run with ${version}`);
}

/** @throws Error when the configuration was read without the settings of the extension */
export function demandSettings(
  { settings = [] }: Extension,
  { declared }: { readonly declared: ReadonlyMap<DeclaredSettings, object> },
): void {
  const unread = settings.filter((one) => !declared.has(one));
  if (unread.length === 0) return;
  const names = unread.map((one) => (one as unknown as { name: string }).name).join(', ');
  throw new Error(`settings of the extension were not read: ${names}. Pass them: loadConfig(process.env, settings)`);
}
