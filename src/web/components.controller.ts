import { Controller, Get } from '@nestjs/common';
import { ApiResponses } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { CredentialFree, CurrentCall, RateLimit } from '../policy/decorators.js';
import { sendPage } from './pages.controller.js';
import { Pages } from './pages.service.js';
import { COMPONENTS } from './paths.js';

/** A catalog of the UI components, for development. */
@Controller()
export class ComponentsController {
  constructor(private readonly pages: Pages) {}

  /** Open a page with every UI component. */
  @Get(COMPONENTS)
  @CredentialFree()
  @RateLimit('web:page')
  @ApiResponses({ type: 'text/html', headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  components(@CurrentCall() call: Call) {
    return sendPage(this.pages, call);
  }
}
