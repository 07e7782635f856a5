import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { api } from './api.js';
import { localizedText, type TranslationKey, t } from './language.js';

/** Descriptions of extension scopes by language. */
export type ScopeWords = ResponseBody<paths, '/.well-known/oauth-authorization-server', 'get'>['scope_descriptions'];

const BUILT_IN_SCOPES: ReadonlyMap<string, TranslationKey> = new Map([
  ['identify', 'consent.scopeIdentify'],
  ['email', 'consent.scopeEmail'],
  ['bot', 'consent.scopeBot'],
  ['openid', 'consent.scopeOpenid'],
  ['profile', 'consent.scopeProfile'],
  ['offline_access', 'consent.scopeOfflineAccess'],
]);

/** Loads the descriptions of scopes that have no built-in translation. */
export async function loadScopeWords(scopes: readonly string[]): Promise<ScopeWords> {
  if (scopes.every((name) => BUILT_IN_SCOPES.has(name))) return {};
  return (await api.get('/.well-known/oauth-authorization-server')).scope_descriptions;
}

/** The built-in translation of a scope, otherwise its name. */
export function plainScope(name: string): string {
  const ours = BUILT_IN_SCOPES.get(name);
  return ours ? t(ours) : name;
}

export const hasWords = (name: string, words: ScopeWords): boolean =>
  BUILT_IN_SCOPES.has(name) || Object.hasOwn(words, name);

/** The description of a scope. Scopes of removed extensions are shown by name. */
export function ScopeName({ name, words }: { readonly name: string; readonly words: ScopeWords }) {
  const ours = BUILT_IN_SCOPES.get(name);
  if (ours) return <>{t(ours)}</>;
  if (!words[name]) return <code>{name}</code>;
  const said = localizedText(words[name]);
  return (
    <span lang={said.language} dir="auto">
      {said.text}
    </span>
  );
}
