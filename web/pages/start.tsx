import { brand } from '../core/brand.js';
import { replacePage } from '../core/redirects.js';
import { resolveSession } from '../core/session.js';

if (brand.needsAdministrator) void replacePage('/admin');
else void resolveSession().then((session) => replacePage(session ? '/account' : '/login'));

/** Redirects only. */
export default function Start() {
  return null;
}
