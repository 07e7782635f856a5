import { rich } from '../../core/language.js';

/** Replaces a value that is hidden without an ACL. */
export const Hidden = ({ acl }: { readonly acl: string }) => (
  <span class="quiet">{rich('adminPerson.hidden', { acl: <code dir="ltr">{acl}</code> })}</span>
);
