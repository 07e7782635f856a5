import { leaveFor } from '../core/places.js';
import { settled } from '../core/session.js';

void settled().then((session) => leaveFor(session ? '/account' : '/login'));

/** Redirects only. */
export default function Start() {
  return null;
}
