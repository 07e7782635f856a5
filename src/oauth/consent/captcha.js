// Earns a captcha token in the way that the service asks for one: work for its own, a widget for those of others.
import { solveChallenge } from './pow.js';

const WIDGETS = {
  hcaptcha: { script: 'https://js.hcaptcha.com/1/api.js?render=explicit', key: 'hcaptcha_site_key' },
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
    key: 'turnstile_site_key',
  },
};

async function deriveKey({ algorithm, cost, keyLength = 32 }, salt, password) {
  const key = await crypto.subtle.importKey('raw', password, { name: 'PBKDF2' }, false, ['deriveBits']);
  const rule = { name: 'PBKDF2', salt, iterations: cost, hash: algorithm.slice('PBKDF2/'.length) };
  return { parameters: {}, derivedKey: new Uint8Array(await crypto.subtle.deriveBits(rule, key, keyLength * 8)) };
}

async function work() {
  const answer = await fetch('/v1/captcha/challenge', { referrerPolicy: 'no-referrer' });
  if (!answer.ok) throw new Error('no challenge');
  const challenge = await answer.json();
  const solution = await solveChallenge({ challenge, deriveKey });
  return btoa(JSON.stringify({ challenge, solution }));
}

function load(url) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.onload = resolve;
    script.onerror = () => reject(new Error('the widget cannot be loaded'));
    script.src = url;
    document.head.append(script);
  });
}

async function ask(provider, captcha, place) {
  const { script, key } = WIDGETS[provider];
  if (!window[provider]) await load(script);
  const frame = document.createElement('div');
  place.replaceChildren(frame);
  return new Promise((resolve, reject) => {
    window[provider].render(frame, {
      sitekey: captcha[key],
      callback: resolve,
      'error-callback': () => reject(new Error('the widget failed')),
    });
  });
}

/** A token that works once. `captcha` is what the service says of itself, `place` where a widget may stand. */
export async function earn(captcha, place) {
  if (captcha.provider === 'altcha') return work();
  place.hidden = false;
  try {
    return await ask(captcha.provider, captcha, place);
  } finally {
    place.hidden = true;
    place.replaceChildren();
  }
}
