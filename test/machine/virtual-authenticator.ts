import type { CDPSession, Page } from 'playwright-core';
import { type Gatehouse, type Persona, verifyEmail } from '../support/index.js';

const CREDENTIALS = '/v1/users/@me/mfa/webauthn/credentials';

/** A virtual authenticator of Chromium in the browser of a page. */
export class VirtualAuthenticator {
  private constructor(
    private readonly page: Page,
    private readonly devtools: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  /** Adds an authenticator that stores passkeys and verifies its user. */
  static async plugIn(page: Page): Promise<VirtualAuthenticator> {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualAuthenticator(page, devtools, authenticatorId);
  }

  /** Turns the simulated touch of the authenticator on or off. */
  async attend(enabled: boolean): Promise<void> {
    const { authenticatorId, devtools } = this;
    await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  }

  async recognize(isUserVerified: boolean): Promise<void> {
    const { authenticatorId, devtools } = this;
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  }

  private async credentials() {
    const { authenticatorId, devtools } = this;
    return (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  }

  /** The user display names in its passkeys. */
  async displayNames(): Promise<(string | undefined)[]> {
    return (await this.credentials()).map(({ userDisplayName }) => userDisplayName);
  }

  async ids(): Promise<string[]> {
    const credentials = await this.credentials();
    return credentials.map(({ credentialId }) => Buffer.from(credentialId, 'base64').toString('base64url'));
  }

  /** Registers a passkey on this authenticator for an account. The page must be a page of the service. */
  async enroll(service: Gatehouse, persona: Persona): Promise<void> {
    await verifyEmail(service, persona);
    const { body } = await service
      .as(persona)
      .post(`${CREDENTIALS}/registration-options`, { password: persona.password });
    const response = await this.page.evaluate(`navigator.credentials
      .create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(body)}) })
      .then((made) => made.toJSON())`);
    const answer = await service
      .as(persona)
      .post(CREDENTIALS, { response, challenge: body.challenge, name: 'Browser' });
    if (answer.status !== 204) throw new Error(`the passkey was not taken: ${JSON.stringify(answer.body)}`);
  }

  async unplug(): Promise<void> {
    const { authenticatorId, devtools } = this;
    await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
  }
}
