import { api } from '../../core/api.js';
import { resolveSession, session } from '../../core/session.js';
import { isUnauthorized, onSessionEnded, withToken } from './person.js';
import { type AuthorizationRequest, errorTarget, FaultyRequest } from './request.js';

/**
 * Continues without a question, within the access that a trusted application has (openid.md section 4).
 * @returns the redirect URL, or `undefined` if the user must be asked
 */
export async function continueTrusted(request: AuthorizationRequest, token: string): Promise<string | undefined> {
  const body = { ...request, prompt: 'none' };
  const { redirect_to } = await api.post('/v1/oauth2/authorize/consent', { ...withToken(token), body });
  return new URL(redirect_to).searchParams.has('error') ? undefined : redirect_to;
}

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
