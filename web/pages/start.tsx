import { replacePage } from '../core/redirects.js';
import { resolveSession } from '../core/session.js';

void resolveSession().then((session) => replacePage(session ? '/account' : '/login'));

/** Redirects only. */
export default function Start() {
  return null;
}
