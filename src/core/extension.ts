import { createRequire } from 'node:module';
import type { DynamicModule, Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { DeclaredSettings } from './config/declared.js';
import { StartError } from './config/start-error.js';
import { ownPackage } from './own-package.js';

/** Extension descriptor passed to start(), the CLI and the test kit. */
export interface Extension {
  /**
   * Compatible Gatehouse versions as an npm range, such as `^1.0.0`. The service does not start with other versions.
   */
  readonly compatibleWith?: string;
  /** Nest modules that are added to the built-in ones. */
  readonly modules?: readonly (Type | DynamicModule)[];
  /**
   * Classes made by `settings(...)`. Their values are read and validated with the built-in settings and injected by
   * class.
   */
  readonly settings?: readonly DeclaredSettings[];
  /** TypeORM entities. `migrations` create their tables. */
  readonly entities?: readonly Type[];
  /**
   * Migration classes, whose names end in a 13-digit timestamp. They run after the built-in migrations and are recorded
   * in `team_migration`.
   */
  readonly migrations?: readonly (new () => MigrationInterface)[];
  /**
   * Code that runs before or without the guards: middleware of modules, and registrations on Express or Fastify. Maps
   * each name to a reason. The service does not start with undeclared code, and the error message contains its name.
   * `gatehouse routes` lists the declared names.
   */
  readonly unguarded?: Readonly<Record<string, string>>;
  /** Files that `gatehouse describe` wrote, relative to the project folder, where the service is started. */
  readonly descriptions?: readonly string[];
}

/** Declares an extension for `start`, `createApp`, the test kit, and `gatehouse.extension` in package.json. */
export const extension = (brought: Extension): Extension => Object.freeze({ ...brought });

/** @throws StartError if the extension is not compatible with this version or its range is invalid */
export function assertCompatible({ compatibleWith }: Extension): void {
  if (compatibleWith === undefined) return;
  const { satisfies, validRange } = createRequire(import.meta.url)('semver') as typeof import('semver');
  if (validRange(compatibleWith) === null) {
    throw new StartError(`the extension says that it was made for "${compatibleWith}", which is no range of versions`);
  }
  const { version } = ownPackage();
  if (satisfies(version, compatibleWith, { includePrerelease: true })) return;
  throw new StartError(`the extension was made for Gatehouse ${compatibleWith} and does not run with ${version}`);
}

/** @throws Error if the configuration was read without the settings of the extension */
export function assertSettingsRead(
  { settings = [] }: Extension,
  { declared }: { readonly declared: ReadonlyMap<DeclaredSettings, object> },
): void {
  const unread = settings.filter((one) => !declared.has(one));
  if (unread.length === 0) return;
  const names = unread.map((one) => (one as unknown as { name: string }).name).join(', ');
  throw new Error(`settings of the extension were not read: ${names}. Pass them: loadConfig(process.env, settings)`);
}
