import { localizedText, type TranslationKey, t } from '../../core/language.js';
import { registry } from '../rights.js';

/** The description of an ACL as text, for searches. */
export function aclText(acl: string): string {
  const words = registry.value?.words?.[acl];
  return words ? localizedText(words).text : t(`adminAcls.${acl}` as TranslationKey);
}

/** The description of an ACL: a built-in translation, or the text from its extension. */
export function AclWords({ acl }: { readonly acl: string }) {
  const words = registry.value?.words?.[acl];
  if (!words) return <span>{aclText(acl)}</span>;
  const said = localizedText(words);
  return (
    <span lang={said.language} dir="auto">
      {said.text}
    </span>
  );
}
