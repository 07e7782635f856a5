import { ApiError } from '@gatehouse-auth/client';
import { api } from './api.js';

type ExtraHeaders = { readonly headers?: Readonly<Record<string, string>> };

interface Widget {
  render(place: HTMLElement, options: Record<string, unknown>): void;
}

const WIDGETS: Readonly<Record<string, { readonly script: string; readonly key: string }>> = {
  hcaptcha: { script: 'https://js.hcaptcha.com/1/api.js?render=explicit', key: 'hcaptcha_site_key' },
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
    key: 'turnstile_site_key',
  },
};

/** The CAPTCHA provider is not reachable. */
export class CaptchaUnavailable extends Error {}

interface Scripts {
  createScriptURL(url: string): string;
}
type Factory = { createPolicy(name: string, rules: Scripts): Scripts };

const scriptUrl = (url: string): string => {
  const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
  return factory
    ? factory.createPolicy('gatehouse-captcha', { createScriptURL: (text) => text }).createScriptURL(url)
    : url;
};

function loadScript(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.onload = () => resolve();
    script.onerror = () => reject(new CaptchaUnavailable());
    script.src = scriptUrl(url);
    document.head.append(script);
  });
}

async function runWidget(provider: string, siteKey: string, place: HTMLElement): Promise<string> {
  const widgets = globalThis as unknown as Record<string, Widget | undefined>;
  if (!widgets[provider]) await loadScript(WIDGETS[provider]?.script ?? '');
  const frame = document.createElement('div');
  place.replaceChildren(frame);
  return new Promise((resolve, reject) => {
    widgets[provider]?.render(frame, {
      sitekey: siteKey,
      callback: resolve,
      'error-callback': () => reject(new CaptchaUnavailable()),
    });
  });
}

async function solveAltcha(): Promise<string> {
  const [challenge, { solveChallenge, pbkdf2 }] = await Promise.all([
    api.get('/v1/captcha/challenge'),
    import('./proof-of-work.js'),
  ]);
  const solution = await solveChallenge({ challenge: challenge as never, deriveKey: pbkdf2 });
  return btoa(JSON.stringify({ challenge, solution }));
}

/** Solves the CAPTCHA of the service and returns its token headers. @param place the element for a widget */
export async function obtainCaptchaToken(place: HTMLElement | null): Promise<Record<string, string>> {
  const { captcha } = await api.get('/.well-known/service');
  const { provider } = captcha;
  if (provider === 'altcha') return { 'x-captcha-token': await solveAltcha(), 'x-captcha-type': provider };
  const widget = WIDGETS[provider];
  if (!widget || !place) throw new CaptchaUnavailable();
  const key = (captcha as unknown as Record<string, string | null>)[widget.key];
  try {
    return { 'x-captcha-token': await runWidget(provider, key ?? '', place), 'x-captcha-type': provider };
  } finally {
    place.replaceChildren();
  }
}

/** Sends a request, and repeats it with a CAPTCHA if one is required. @param place the element for a widget */
export async function withCaptcha<T>(place: HTMLElement | null, send: (more: ExtraHeaders) => Promise<T>): Promise<T> {
  try {
    return await send({});
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'CAPTCHA_REQUIRED') throw error;
  }
  return send({ headers: await obtainCaptchaToken(place) });
}
