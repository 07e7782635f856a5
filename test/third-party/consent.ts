import { freePort } from '../machine/ports.js';
import { type Gatehouse, gatehouse, type Persona, parametersOf } from '../support/index.js';

/** A service that is configured with its own URL. */
export async function ownService(env: Record<string, string> = {}): Promise<Gatehouse> {
  const port = await freePort();
  return gatehouse({ env: { PORT: String(port), PUBLIC_ORIGIN: `http://127.0.0.1:${port}`, ...env } });
}

/** Does what the consent page does after sign-in. @returns the URL that the browser is redirected to */
export async function decide(service: Gatehouse, who: Persona, url: URL, decision = 'approve'): Promise<URL> {
  const shown = await fetch(url, { redirect: 'manual' });
  expect(shown.status).toBe(302);
  const { prompt, max_age: age, ...request } = parametersOf(shown.headers.get('location') ?? '');
  const response = await service.as(who).post('/v1/oauth2/authorize/consent', {
    ...{ ...request, decision },
    ...(age !== undefined && { max_age: Number(age) }),
  });
  expect({ status: response.status, body: response.body }).toMatchObject({ status: 200 });
  return new URL(response.body.redirect_to);
}
