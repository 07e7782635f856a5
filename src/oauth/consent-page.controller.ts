import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Controller, Get, Param } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Refusal } from '../core/errors.js';
import { Text } from '../http/input.js';
import { Answers } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { CredentialFree, RateLimit, TheCall } from '../policy/decorators.js';

/** Where the widgets of others come from; of nobody else anything is loaded. */
const WIDGET_ORIGINS: Readonly<Record<string, string>> = {
  hcaptcha: 'https://hcaptcha.com https://*.hcaptcha.com',
  turnstile: 'https://challenges.cloudflare.com',
};

function policyFor(provider: string): string {
  const origins = WIDGET_ORIGINS[provider];
  const own = ['script-src', 'style-src', 'connect-src'].map(
    (rule) => `${rule} ${["'self'", origins].filter(Boolean).join(' ')}`,
  );
  const frames = origins ? [`frame-src ${origins}`] : [];
  const none = ["form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'"];
  return ["default-src 'none'", ...own, ...frames, ...none].join('; ');
}

const own = (name: string): string => readFileSync(join(import.meta.dirname, 'consent', name), 'utf8');
const require = createRequire(import.meta.url);
/** The proof of work of altcha-lib, as its modules for browsers. */
const altcha = (name: string): string =>
  readFileSync(join(require.resolve('altcha-lib'), '../../../esm/v2', name), 'utf8');

class PageFile {
  @Text({ min: 1, max: 64 }) file: string;
}

/** The consent page (oauth.md 5.2). It holds no authority: the person signs in through the JSON API. */
@Controller('oauth2/authorize')
export class ConsentPageController {
  private readonly policy: string;
  private readonly files = new Map<string, { type: string; text: string }>([
    ['style.css', { type: 'text/css', text: own('style.css') }],
    ['page.js', { type: 'text/javascript', text: own('page.js') }],
    ['captcha.js', { type: 'text/javascript', text: own('captcha.js') }],
    ...['pow.js', 'helpers.js', 'types.js'].map(
      (name) => [name, { type: 'text/javascript', text: altcha(name) }] as const,
    ),
    [
      'webauthn.js',
      {
        type: 'text/javascript',
        text: readFileSync(
          join(require.resolve('@simplewebauthn/browser'), '../../dist/bundle/index.umd.min.js'),
          'utf8',
        ),
      },
    ],
  ]);
  private readonly page = own('page.html');

  constructor({ captcha }: Config) {
    this.policy = policyFor(captcha.provider);
  }

  /** The page on which people grant access. */
  @Get()
  @CredentialFree()
  @RateLimit('oauth:authorize')
  @Answers({ type: 'text/html' })
  show(@TheCall() { res }: Call) {
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.setHeader('Content-Security-Policy', this.policy);
    res.setHeader('X-Frame-Options', 'DENY');
    return this.page;
  }

  /** A file of the consent page. */
  @Get(':file')
  @CredentialFree()
  @RateLimit('instance:info')
  @Answers({ type: ['text/css', 'text/javascript'] })
  asset(@Param() { file }: PageFile, @TheCall() { res }: Call) {
    const known = this.files.get(file);
    if (!known) throw new Refusal('NOT_FOUND');
    res.setHeader('Content-Type', `${known.type}; charset=utf-8`);
    res.setHeader('Cache-Control', 'no-cache');
    return known.text;
  }
}
