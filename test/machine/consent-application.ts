import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { type Gatehouse, type Persona, person, solveCaptcha } from '../support/index.js';

/** An application that requests consent, with its redirect URI and the path of its consent page. */
export interface Asking {
  readonly id: string;
  readonly secret: string;
  readonly owner: Persona;
  readonly redirectUri: string;
  readonly verifier: string;
  /** The path of the consent page with the parameters of a request. Empty parameters are omitted. */
  path(changes?: Record<string, string>): string;
  close(): void;
}

export const NAME = 'Sample <b>App</b>';

/**
 * Registers an application on a service. `headers` returns the headers that registration requires, such as a captcha
 * token.
 */
export async function asking(service: Gatehouse, headers: () => Promise<Record<string, string>>): Promise<Asking> {
  const receiver = createServer((_req, res) => res.end('<title>Arrived</title>'));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const redirectUri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/callback?kept=1`;
  const owner = await person({ ...service, anonymous: service.anonymous.with(await headers()) }, 'owner');
  const { body } = await service
    .as(owner)
    .with(await headers())
    .post('/v1/oauth2/applications', { name: NAME, redirect_uris: [redirectUri] })
    .expect(200);
  const verifier = randomBytes(32).toString('base64url');
  return {
    ...{ id: body.id, secret: body.client_secret, owner, redirectUri, verifier },
    path(changes = {}) {
      const query = {
        client_id: body.id,
        response_type: 'code',
        scope: 'identify email',
        redirect_uri: redirectUri,
        state: 'a state & more',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...changes,
      };
      return `/oauth2/authorize?${new URLSearchParams(query)}`;
    },
    close: () => void receiver.close(),
  };
}

/** The headers for an operation that requires a captcha of this provider. */
export async function captchaFor(service: Gatehouse, provider: string | undefined): Promise<Record<string, string>> {
  if (!provider) return {};
  const token = provider === 'altcha' ? await solveCaptcha(service) : `token ${randomBytes(9).toString('hex')}`;
  return { 'x-captcha-token': token };
}

/** Types the email address and the password, and submits them. */
export async function enter(page: Page, { email, password }: Pick<Persona, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Waits until the application receives the redirect. @returns its query parameters */
export async function arrival(page: Page): Promise<URLSearchParams> {
  await page.waitForURL(/\/callback\?/);
  return new URL(page.url()).searchParams;
}

export const question = (page: Page) =>
  page.getByRole('heading', { name: `${NAME}\u2069 wants to access your account` });

/** Gives the browser a session, as the sign-in page stores it. */
export const signedInAs = (page: Page, token: string) =>
  page.addInitScript(`if (location.port !== '' && !sessionStorage.getItem('test.begun')) {
    sessionStorage.setItem('test.begun', '1');
    sessionStorage.setItem('gatehouse.session', ${JSON.stringify(token)});
  }`);

/** Allows or denies the request, as soon as the button is enabled. */
export const decide = (page: Page, response: 'Allow' | 'Deny' | `Continue as ${string}`): Promise<void> =>
  page.getByRole('button', { name: response }).click();

/** Allows the request. @returns the query parameters of the redirect */
export async function allowing(page: Page): Promise<URLSearchParams> {
  await decide(page, 'Allow');
  return arrival(page);
}
