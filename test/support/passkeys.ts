import type { Gatehouse } from './gatehouse.js';
import { expect } from './optional-packages.js';
import type { Persona } from './personas.js';
import { SoftwareAuthenticator } from './software-authenticator.js';

const CREDENTIALS = '/v1/users/@me/mfa/webauthn/credentials';

/**
 * Registers a passkey for a persona and marks its email address as verified. `proof` contains the sudo members of the
 * request.
 */
export async function withPasskey(
  service: Gatehouse,
  persona: Persona,
  authenticator = new SoftwareAuthenticator(),
  proof: object = { password: persona.password },
): Promise<SoftwareAuthenticator> {
  await service.sql('UPDATE account SET email_verified = true WHERE id = $1', [persona.id]);
  const options = await service.as(persona).post(`${CREDENTIALS}/registration-options`, proof);
  expect({ status: options.status, body: options.body }).toMatchObject({ status: 200 });
  const response = await service.as(persona).post(CREDENTIALS, {
    response: authenticator.create(options.body),
    challenge: options.body.challenge,
    name: 'key',
  });
  expect({ status: response.status, body: response.body }).toEqual({ status: 204, body: undefined });
  return authenticator;
}

/** The sudo members with an assertion of a passkey. */
export async function passkeySudo(service: Gatehouse, persona: Persona, authenticator: SoftwareAuthenticator) {
  const { body } = await service.as(persona).post('/v1/users/@me/sudo/webauthn/authentication-options');
  return {
    mfa_method: 'webauthn',
    webauthn_challenge: body.challenge,
    webauthn_response: authenticator.get(body),
  };
}

/** Makes the passkeys of the account its second factor. Returns the backup codes. */
export async function passkeyAsSecondFactor(
  service: Gatehouse,
  persona: Persona,
  authenticator: SoftwareAuthenticator,
): Promise<string[]> {
  const response = await service.as(persona).put('/v1/users/@me/mfa/webauthn/two-factor', {
    enabled: true,
    ...(await passkeySudo(service, persona, authenticator)),
  });
  expect(response.status).toBe(200);
  return ((response.body.backup_codes ?? []) as { code: string }[]).map(({ code }) => code);
}
