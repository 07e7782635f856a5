import { rich } from '../../core/language.js';

/** Stands for what the service does not tell whoever lacks an ACL. */
export const Hidden = ({ acl }: { readonly acl: string }) => (
  <span class="quiet">{rich('adminPerson.hidden', { acl: <code dir="ltr">{acl}</code> })}</span>
);
