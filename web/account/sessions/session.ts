import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { api } from '../../core/api.js';

export type Session = ResponseBody<paths, '/v1/auth/sessions', 'get'>[number];

/** Maximum number of sessions per request (auth.md section 9). */
const MAX_SESSIONS_PER_REQUEST = 100;

/** Ends any number of sessions. Requires sudo mode. */
export async function endSessions(sessions: readonly Session[]): Promise<void> {
  const hashes = sessions.map(({ id_hash }) => id_hash);
  for (let first = 0; first < hashes.length; first += MAX_SESSIONS_PER_REQUEST) {
    const body = { session_id_hashes: hashes.slice(first, first + MAX_SESSIONS_PER_REQUEST) };
    await api.post('/v1/auth/sessions/logout', { body });
  }
}

export const othersOf = (sessions: readonly Session[]): readonly Session[] =>
  sessions.filter(({ current }) => !current);
