import { saidIn, t, type Words } from '../../core/language.js';
import { registry } from '../rights.js';

/** What the holder of an ACL may do: in words of ours, or of the team that added it. */
export function AclWords({ acl }: { readonly acl: string }) {
  const words = registry.value?.words?.[acl];
  if (!words) return <span>{t(`adminAcls.${acl}` as Words)}</span>;
  const said = saidIn(words);
  return (
    <span lang={said.language} dir="auto">
      {said.text}
    </span>
  );
}
