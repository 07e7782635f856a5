import { Controller, Get } from '@nestjs/common';
import { Refusal } from '../core/errors.js';
import { Answers } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { CredentialFree, RateLimit, TheCall } from '../policy/decorators.js';
import { Pages } from './pages.service.js';
import { CONSENT, isPage, PAGES } from './paths.js';
import { pathOf, sendFile } from './sending.js';

/** A page by its address; below a mount nothing else is one. */
export function sendPage(pages: Pages, call: Call): ReturnType<typeof sendFile> {
  const path = pathOf(call);
  if (!isPage(path)) throw new Refusal('NOT_FOUND');
  for (const [name, value] of Object.entries(pages.headersOf(path))) call.res.setHeader(name, value);
  // What an application asks for stands in the address: nothing keeps that page (conventions.md 11).
  if (path === CONSENT) call.res.setHeader('Cache-Control', 'no-store');
  return sendFile(call, pages.page());
}

/** The pages for people (web.md). They hold no authority: whatever they do, they do by the API. */
@Controller()
export class PagesController {
  constructor(private readonly pages: Pages) {}

  /** A page of those before sign-in, or one that a link leads to. */
  @Get([...PAGES, 'account', 'account/*view'])
  @CredentialFree()
  @RateLimit('web:page')
  @Answers({ type: 'text/html', headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  page(@TheCall() call: Call) {
    return sendPage(this.pages, call);
  }
}

/** The console of administrators (web.md section 4). */
@Controller('admin')
export class ConsoleController {
  constructor(private readonly pages: Pages) {}

  /** A view of the console. */
  @Get(['', '*view'])
  @CredentialFree()
  @RateLimit('web:page')
  @Answers({ type: 'text/html', headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  page(@TheCall() call: Call) {
    return sendPage(this.pages, call);
  }
}

/** The consent page (oauth.md 5.2), which is there without the others too. */
@Controller()
export class ConsentPageController {
  constructor(private readonly pages: Pages) {}

  /** The page on which people grant access to applications. */
  @Get(CONSENT)
  @CredentialFree()
  @RateLimit('web:page')
  @Answers({ type: 'text/html', headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  page(@TheCall() call: Call) {
    return sendPage(this.pages, call);
  }
}
