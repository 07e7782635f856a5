import { type DeclaredSettings, type Env, hideMembers, type Setting, SettingsReader } from './reader.js';
import { ConfigurationError, StartError } from './start-error.js';

/**
 * Every setting of the service, validated. `loadConfig` builds it once. Its secrets cannot be printed. Each feature
 * merges its settings into this interface.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the class is only the injection token of the interface
export abstract class Config {}
export interface Config {
  /** The values of each settings class that a feature declares. */
  readonly declared: ReadonlyMap<DeclaredSettings, object>;
}

/** The documentation of all settings, in the order in which they are read. */
export function documentSettings(declared: readonly DeclaredSettings[]): readonly Setting[] {
  const reader = new SettingsReader({});
  for (const one of declared) reader.of(one);
  return reader.settings;
}

/** Replaces each getter by its value. */
function evaluateGetters(part: object): void {
  for (const [name, { get, enumerable }] of Object.entries(Object.getOwnPropertyDescriptors(part))) {
    if (get) Object.defineProperty(part, name, { value: get.call(part), enumerable });
  }
}

/**
 * Reads an environment into one frozen object. Getters of settings are evaluated once all settings are valid.
 * @param builtIn settings that become members of the configuration
 * @param ofTeam settings that are only found by their class
 * @throws StartError if two classes declare the same setting
 * @throws ConfigurationError with every invalid setting
 */
export function readConfig(
  env: Env,
  builtIn: readonly DeclaredSettings[],
  ofTeam: readonly DeclaredSettings[] = [],
): Config {
  const reader = new SettingsReader(env);
  const declared = new Map([...builtIn, ...ofTeam].map((one) => [one, reader.of(one)]));
  if (reader.clashes.length > 0)
    throw new StartError(`Invalid features:\n${reader.clashes.map((clash) => `  ${clash}`).join('\n')}`);
  if (reader.faults.length > 0) throw new ConfigurationError(reader.faults);
  for (const part of declared.values()) evaluateGetters(part);
  const config: object = hideMembers({ declared }, 'declared');
  for (const one of builtIn) {
    Object.defineProperties(config, Object.getOwnPropertyDescriptors(declared.get(one)));
  }
  for (const part of declared.values()) Object.freeze(part);
  return Object.freeze(config) as Config;
}
