import { api } from '../../core/api.js';
import { resolveSession, session } from '../../core/session.js';
import { isUnauthorized, onSessionEnded, withToken } from './person.js';
import { type AuthorizationRequest, errorTarget, FaultyRequest } from './request.js';

/** Answers a request with `prompt=none` with the session of the browser. @returns the redirect URL */
export async function continueSilently(request: AuthorizationRequest): Promise<string> {
  await resolveSession();
  const token = session.value?.token;
  if (token !== undefined) {
    try {
      const { redirect_to } = await api.post('/v1/oauth2/authorize/consent', { ...withToken(token), body: request });
      return redirect_to;
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      onSessionEnded(token);
    }
  }
  const target = await errorTarget(location.search, 'login_required');
  if (target === undefined) throw new FaultyRequest('INVALID_REQUEST');
  return target;
}
