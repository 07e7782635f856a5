import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Param } from '@nestjs/common';
import type { Call } from '../call.js';
import { Config } from '../config.js';
import { Refusal } from '../errors.js';
import { Text } from '../input.js';
import { Cors, CredentialFree, RateLimit, TheCall } from '../policy/decorators.js';
import { ApiDescription, type Description } from './description.service.js';
import { DOCS_PAGE, DOCS_SCRIPT } from './docs.page.js';

const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'start.js': 'text/javascript; charset=utf-8',
} as const;

const isKnown = (file: string): file is keyof typeof FILES => Object.hasOwn(FILES, file);

class DocsFile {
  @Text({ min: 1, max: 64 }) file: string;
}

// Swagger UI writes style attributes; scripts come from this origin alone.
const CSP = [
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The API description for programs and for people. */
@Controller()
export class DocsController {
  private readonly assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

  constructor(
    private readonly description: ApiDescription,
    private readonly config: Config,
  ) {}

  @Get('openapi.json')
  @CredentialFree()
  @RateLimit('instance:info')
  @Cors('any')
  openapi(@TheCall() call: Call) {
    this.demandEnabled();
    const description = this.description.get();
    return this.send(call, description, 'application/json; charset=utf-8');
  }

  @Get('docs')
  @CredentialFree()
  @RateLimit('instance:info')
  page(@TheCall() call: Call) {
    this.demandEnabled();
    call.res.setHeader('Content-Type', 'text/html; charset=utf-8');
    call.res.setHeader('Content-Security-Policy', CSP);
    call.res.setHeader('Cache-Control', 'no-cache');
    return DOCS_PAGE;
  }

  @Get('docs/:file')
  @CredentialFree()
  @RateLimit('instance:info')
  file(@Param() { file }: DocsFile, @TheCall() call: Call) {
    this.demandEnabled();
    if (!isKnown(file)) throw new Refusal('NOT_FOUND');
    call.res.setHeader('Content-Type', FILES[file]);
    call.res.setHeader('Cache-Control', 'no-cache');
    return file === 'start.js' ? DOCS_SCRIPT : readFileSync(join(this.assets, file), 'utf8');
  }

  private send({ req, res }: Call, { json, etag }: Description, type: string): string | undefined {
    res.setHeader('ETag', etag);
    res.setHeader('Cache-Control', 'no-cache');
    if (req.headers['if-none-match'] === etag) {
      res.statusCode = 304;
      return undefined;
    }
    res.setHeader('Content-Type', type);
    return json;
  }

  private demandEnabled(): void {
    if (!this.config.docsEnabled) throw new Refusal('NOT_FOUND');
  }
}
