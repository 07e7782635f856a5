import { Controller, Get } from '@nestjs/common';
import { ApiError } from '../core/errors.js';
import { pathOf, sendFile } from '../http/files/file-responses.js';
import { ApiResponses } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { CredentialFree, CurrentCall, RateLimit } from '../policy/decorators.js';
import { Pages } from './pages.service.js';
import { CONNECTION_CALLBACK, CONSENT, isPage, LOGOUT, PAGES } from './paths.js';

/** Sends a page. Unknown paths below a prefix are not pages. */
export function sendPage(pages: Pages, call: Call): ReturnType<typeof sendFile> {
  const path = pathOf(call);
  if (!isPage(path)) throw new ApiError('NOT_FOUND');
  for (const [name, value] of Object.entries(pages.headersOf(path))) call.res.setHeader(name, value);
  // The URL contains the request of an application, so these pages must not be cached (conventions.md 11).
  if (path === CONSENT || path === LOGOUT) call.res.setHeader('Cache-Control', 'no-store');
  return sendFile(call, pages.page());
}

/** The web UI (web.md). The pages have no privileges of their own; they only use the API. */
@Controller()
export class PagesController {
  constructor(private readonly pages: Pages) {}

  /** Open a page of the web UI. */
  @Get([...PAGES, CONNECTION_CALLBACK, 'account', 'account/*view'])
  @CredentialFree()
  @RateLimit('web:page')
  @ApiResponses({ type: 'text/html', headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  async page(@CurrentCall() call: Call) {
    if (pathOf(call) === '/') await this.pages.checkAdministrator();
    return sendPage(this.pages, call);
  }
}

/** The administration console (web.md section 4). */
@Controller('admin')
export class ConsoleController {
  constructor(private readonly pages: Pages) {}

  /** Open a view of the administration console. */
  @Get(['', '*view'])
  @CredentialFree()
  @RateLimit('web:page')
  @ApiResponses({ type: 'text/html', headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  page(@CurrentCall() call: Call) {
    return sendPage(this.pages, call);
  }
}

/** The consent page (oauth.md 5.2), which can be enabled without the other pages. */
@Controller()
export class ConsentPageController {
  constructor(private readonly pages: Pages) {}

  /** Open the consent page for applications. */
  @Get(CONSENT)
  @CredentialFree()
  @RateLimit('web:page')
  @ApiResponses({ type: 'text/html', headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  page(@CurrentCall() call: Call) {
    return sendPage(this.pages, call);
  }
}

/** The sign-out page of OpenID Connect (openid.md section 6). */
@Controller()
export class LogoutPageController {
  constructor(private readonly pages: Pages) {}

  /** Open the sign-out page for applications. */
  @Get(LOGOUT)
  @CredentialFree()
  @RateLimit('web:page')
  @ApiResponses({ type: 'text/html', headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  page(@CurrentCall() call: Call) {
    return sendPage(this.pages, call);
  }
}
