import { createRequire } from 'node:module';
import type { DynamicModule, Type } from '@nestjs/common';
import type { DeclaredSettings } from '../core/config/reader.js';
import { StartError } from '../core/config/start-error.js';
import { ownPackage } from '../core/own-package.js';
import type { Feature } from './feature.js';

/** Extension descriptor passed to start(), the CLI and the test kit. */
export interface Extension {
  /**
   * Compatible Gatehouse versions as an npm range, such as `^1.0.0`. The service does not start with other versions.
   */
  readonly compatibleWith?: string;
  /**
   * The features of the extension, created with `defineFeature`. Their migrations run after the built-in ones and are recorded in
   * `team_migration`.
   */
  readonly features?: readonly Feature[];
  /** Nest modules that declare nothing, such as one with middleware. */
  readonly modules?: readonly (Type | DynamicModule)[];
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

/** The settings of all features of an extension, for `loadConfig`. */
export const settingsOf = ({ features = [] }: Extension): DeclaredSettings[] =>
  features.flatMap(({ settings = [] }) => settings);

/** @throws StartError if the extension is not compatible with this version or its range is invalid */
export function assertCompatible({ compatibleWith }: Extension): void {
  if (compatibleWith === undefined) return;
  const { satisfies, validRange } = createRequire(import.meta.url)('semver') as typeof import('semver');
  if (validRange(compatibleWith) === null) {
    throw new StartError(
      `Invalid compatibleWith "${compatibleWith}" in the extension. Use a version range such as ^1.0.0`,
    );
  }
  const { version } = ownPackage();
  if (satisfies(version, compatibleWith, { includePrerelease: true })) return;
  throw new StartError(`The extension requires Gatehouse ${compatibleWith}, but this is ${version}`);
}

/** @throws Error if the configuration was read without the settings of the extension */
export function assertSettingsRead(
  extension: Extension,
  { declared }: { readonly declared: ReadonlyMap<DeclaredSettings, object> },
): void {
  const unread = settingsOf(extension).filter((one) => !declared.has(one));
  if (unread.length === 0) return;
  const names = unread.map((one) => one.name).join(', ');
  throw new Error(`Settings of the extension were not read: ${names}. Pass them: loadConfig(process.env, settings)`);
}
