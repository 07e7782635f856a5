import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Controller, Get, Param } from '@nestjs/common';
import type { Call } from '../call.js';
import { Refusal } from '../errors.js';
import { Text } from '../input.js';
import { CredentialFree, RateLimit, TheCall } from '../policy/decorators.js';

const CSP = [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
].join('; ');

const own = (name: string): string => readFileSync(join(import.meta.dirname, 'consent', name), 'utf8');
const require = createRequire(import.meta.url);

class PageFile {
  @Text({ min: 1, max: 64 }) file: string;
}

/** The consent page (oauth.md 5.2). It holds no authority: the person signs in through the JSON API. */
@Controller('oauth2/authorize')
export class ConsentPageController {
  private readonly files = new Map<string, { type: string; text: string }>([
    ['style.css', { type: 'text/css', text: own('style.css') }],
    ['page.js', { type: 'text/javascript', text: own('page.js') }],
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

  @Get()
  @CredentialFree()
  @RateLimit('oauth:authorize')
  show(@TheCall() { res }: Call) {
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.setHeader('Content-Security-Policy', CSP);
    res.setHeader('X-Frame-Options', 'DENY');
    return this.page;
  }

  @Get(':file')
  @CredentialFree()
  @RateLimit('instance:info')
  asset(@Param() { file }: PageFile, @TheCall() { res }: Call) {
    const known = this.files.get(file);
    if (!known) throw new Refusal('NOT_FOUND');
    res.setHeader('Content-Type', `${known.type}; charset=utf-8`);
    res.setHeader('Cache-Control', 'no-cache');
    return known.text;
  }
}
