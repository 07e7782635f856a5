import { brandSettings } from './brand.settings.js';
import { dataSettings } from './data.settings.js';
import type { DeclaredSettings } from './declared.js';
import { limitSettings, webhookSettings } from './limits.settings.js';
import { mailSettings } from './mail.settings.js';
import { mediaSettings } from './media.settings.js';
import { adminSettings, oauthSettings } from './oauth.settings.js';
import { OpenIdSettings } from './openid.settings.js';
import { operationSettings } from './operation.settings.js';
import { type Env, hideMembers, type Setting, SettingsReader } from './reader.js';
import { developmentSecret, rejectSharedSecrets, secretSettings } from './secret.settings.js';
import { serviceSettings } from './service.settings.js';
import { signInSettings } from './sign-in.settings.js';
import { ConfigurationError } from './start-error.js';
import { webSettings } from './web.settings.js';

type Settings = ReturnType<typeof serviceSettings> &
  ReturnType<typeof brandSettings> &
  ReturnType<typeof webSettings> &
  Omit<ReturnType<typeof secretSettings>, 'secret'> &
  ReturnType<typeof dataSettings> &
  ReturnType<typeof mailSettings> &
  ReturnType<typeof signInSettings> &
  ReturnType<typeof grouped> &
  ReturnType<typeof webhookSettings> &
  ReturnType<typeof limitSettings> &
  ReturnType<typeof operationSettings>;

/** Every setting of the service, validated. `loadConfig` builds it once. Its secrets cannot be printed. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the class is only the injection token of the interface
export abstract class Config {}
export interface Config extends Readonly<Settings> {
  readonly secret: Buffer;
  /** The settings that features declare with `settings(...)`. */
  readonly declared: ReadonlyMap<DeclaredSettings, object>;
}

function grouped(read: SettingsReader, service: ReturnType<typeof serviceSettings>, data: { dataDir: string }) {
  const oauth = oauthSettings(read, service);
  const admin = adminSettings(read, service);
  return { oauth, admin, media: mediaSettings(read, service, data) };
}

function compose(env: Env, more: readonly DeclaredSettings[]) {
  const reader = new SettingsReader(env);
  const service = serviceSettings(reader);
  const look = [brandSettings(reader, service), webSettings(reader, service)];
  const secrets = secretSettings(reader, service);
  const data = dataSettings(reader, service);
  const parts: object[] = [
    service,
    ...look,
    secrets,
    data,
    mailSettings(reader, service),
    signInSettings(reader, service),
  ];
  parts.push(grouped(reader, service, data));
  parts.push(webhookSettings(reader), limitSettings(reader, service), operationSettings(reader));
  rejectSharedSecrets(reader);
  const declared = new Map([OpenIdSettings, ...more].map((part) => [part, Object.freeze(part.read(reader))]));
  const make = () => secrets.secret ?? developmentSecret(data.dataDir);
  return { reader, parts, declared, make };
}

/** All settings in the order of the documentation. */
export const allSettings = (more: readonly DeclaredSettings[] = []): readonly Setting[] =>
  compose({}, more).reader.settings;

/**
 * Reads the whole environment into one frozen object.
 * @throws ConfigurationError with every invalid setting
 */
export function loadConfig(env: Env, more: readonly DeclaredSettings[] = []): Config {
  const { reader, parts, declared, make } = compose(env, more);
  if (reader.faults.length > 0) throw new ConfigurationError(reader.faults);
  const config = {};
  for (const part of parts) Object.defineProperties(config, Object.getOwnPropertyDescriptors(part));
  Object.defineProperties(
    config,
    Object.getOwnPropertyDescriptors(hideMembers({ secret: make(), declared }, 'secret', 'declared')),
  );
  return Object.freeze(config) as Config;
}
