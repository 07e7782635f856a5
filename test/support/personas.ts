import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { TestResponse } from './exchange.js';
import { expectApiError, expectInvalid } from './expect-api-error.js';
import type { Gatehouse, ServiceEndpoint } from './gatehouse.js';
import { mailTo } from './mail.js';
import { expect } from './optional-packages.js';

/** An account with its credential, created by registration. */
export interface Persona {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly username: string;
  /** The session token, as the value of the `Authorization` header. */
  readonly authorization: string;
}

const fresh = (): string => randomBytes(6).toString('hex');

/** Registers an ordinary account with a password. */
export async function person(service: ServiceEndpoint, name = 'person'): Promise<Persona> {
  const email = `${name}.${fresh()}@example.com`;
  const password = `${fresh()} ${fresh()}`;
  const { status, body } = await service.anonymous.post('/v1/auth/register', { email, password, username: name });
  expect({ status, body }).toEqual({ status: 200, body: expect.objectContaining({ token: expect.any(String) }) });
  return { id: body.user_id, email, password, username: name, authorization: body.token };
}

/** Signs the persona in again, as on another device. */
export async function signIn(service: ServiceEndpoint, { email, password }: Persona): Promise<string> {
  const { status, body } = await service.anonymous.post('/v1/auth/login', { email, password });
  expect({ status, body }).toEqual({ status: 200, body: expect.objectContaining({ token: expect.any(String) }) });
  return body.token;
}

/** Logs in with a password and returns the response, whatever its status. */
export const logIn = (
  service: ServiceEndpoint,
  { email, password }: { email: string; password: string },
): Promise<TestResponse> => service.anonymous.post('/v1/auth/login', { email, password });

/** The number of active sessions of an account. */
export async function sessionsOf(service: Gatehouse, { id }: { id: string }): Promise<number> {
  return (await service.sql('SELECT 1 FROM session WHERE account_id = $1 AND revoked_at IS NULL', [id])).length;
}

/** Registers an account and marks its email address as verified. */
export async function verifiedPerson(service: Gatehouse, name: string): Promise<Persona> {
  const persona = await person(service, name);
  await service.sql('UPDATE account SET email_verified = true WHERE id = $1', [persona.id]);
  return persona;
}

/**
 * Sets 32 passwords in parallel. Asserts that exactly one is accepted and all others fail with `fault`. Returns the
 * accepted password.
 */
export async function racePasswords(set: (password: string) => Promise<TestResponse>, fault: string): Promise<string> {
  const passwords = Array.from({ length: 32 }, (_, n) => `parallel password ${n}`);
  const responses = await Promise.all(passwords.map(set));
  const winners = passwords.filter((_, n) => responses[n]?.status === 200);
  expect(winners).toHaveLength(1);
  for (const response of responses.filter(({ status }) => status !== 200)) expectInvalid(response, fault);
  return winners[0] as string;
}

/** An authenticator app that generates codes of one secret by the service's clock. */
export class Authenticator {
  readonly secret = new Secret({ size: 20 });

  constructor(private readonly service: Gatehouse) {}

  /**
   * The code of the current step or, with `steps`, of another one. With `steps`, at least 15 seconds of the current
   * step are left, so that the code can be sent in time.
   */
  code(steps = 0): string {
    const left = 30 - (this.service.clock.seconds() % 30);
    if (steps !== 0 && left < 15) this.service.clock.advance({ seconds: left });
    const totp = new TOTP({ secret: this.secret, algorithm: 'SHA1', digits: 6, period: 30 });
    return totp.generate({ timestamp: this.service.clock.now() + steps * 30_000 });
  }

  /** A code that is newer than all earlier codes. Moves the clock by one step. */
  next(): string {
    this.service.clock.advance({ seconds: 30 });
    return this.code();
  }
}

/** Verifies the persona's email address with the token from the verification email. */
export async function verifyEmail(service: ServiceEndpoint, { email }: Persona): Promise<void> {
  const { metadata } = await mailTo(service, email, 'email_verification');
  const { status, body } = await service.anonymous.post('/v1/auth/verify', { token: metadata.token });
  expect({ status, body }).toEqual({ status: 204, body: undefined });
}

/**
 * Changes the email address of a persona from `from` to `to`. Returns the revert token that was sent to `from`. `proof`
 * returns the sudo members of the last step.
 */
export async function changeEmail(
  service: ServiceEndpoint,
  persona: Persona,
  { from = persona.email, to, proof }: { from?: string; to: string; proof?: () => object },
): Promise<string> {
  const step = async (name: string, body: object = {}) => {
    const response = await service.as(persona).post(`/v1/users/@me/email-change/${name}`, body);
    expect({ status: response.status, body: response.body }).toMatchObject({ status: 200 });
    return response.body;
  };
  const { ticket, require_original, original_proof: proofSent } = await step('start');
  const confirmed = async () => {
    const { metadata } = await mailTo(service, from, 'email_change_original');
    return (await step('verify-original', { ticket, code: metadata.code })).original_proof;
  };
  const original_proof = require_original ? await confirmed() : proofSent;
  await step('request-new', { ticket, new_email: to, original_proof });
  const { metadata } = await mailTo(service, to, 'email_change_new');
  const { email_token } = await step('verify-new', { ticket, code: metadata.code, original_proof });
  await step('apply', { email_token, ...(proof?.() ?? { password: persona.password }) });
  return (await mailTo(service, from, 'email_change_revert')).metadata.token ?? '';
}

/**
 * Verifies the persona's email address and sets up an authenticator app. Also returns its backup codes. `proof` returns
 * the sudo members of the request.
 */
export async function withTotp(
  service: Gatehouse,
  persona: Persona,
  proof: () => object | Promise<object> = () => ({ password: persona.password }),
) {
  if (!(await service.as(persona).get('/v1/users/@me')).body.verified) await verifyEmail(service, persona);
  const authenticator = new Authenticator(service);
  const { status, body } = await service.as(persona).post('/v1/users/@me/mfa/totp/enable', {
    secret: authenticator.secret.base32,
    code: authenticator.code(),
    ...(await proof()),
  });
  expect({ status, body }).toEqual({ status: 200, body: { backup_codes: expect.any(Array) } });
  return { authenticator, backupCodes: (body.backup_codes as { code: string }[]).map(({ code }) => code) };
}

/** Obtains a sudo proof with an authenticator code. Any harmless operation that requires sudo mode would work. */
export async function sudoProof(service: Gatehouse, persona: Persona, authenticator: Authenticator): Promise<string> {
  const response = await service.as(persona).post('/v1/auth/sessions/logout', {
    session_id_hashes: [],
    mfa_method: 'totp',
    mfa_code: authenticator.next(),
  });
  expect(response.status).toBe(204);
  return response.headers.get('x-service-sudo-mode-jwt') ?? '';
}

export { expectApiError };
