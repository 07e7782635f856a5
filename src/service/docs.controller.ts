import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Param } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Refusal } from '../core/errors.js';
import { ApiDescription } from '../description/description.service.js';
import { callerHas } from '../http/conditions.js';
import { Text } from '../http/input.js';
import { Answers } from '../policy/answers.js';
import { ANSWERED, type Call } from '../policy/call.js';
import { Cors, CredentialFree, RateLimit, TheCall } from '../policy/decorators.js';
import { DOCS_PAGE } from './docs.page.js';

const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'start.js': 'text/javascript; charset=utf-8',
} as const;

type FileName = keyof typeof FILES;

interface Asset {
  readonly bytes: Buffer;
  readonly etag: string;
}

/**
 * The build copies the files of Swagger UI next to the built-in ones. When the sources run directly, the files are in
 * its package.
 */
function pathOf(file: FileName): string {
  const built = join(import.meta.dirname, 'static', file);
  if (existsSync(built)) return built;
  return join(dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')), file);
}

const isKnown = (file: string): file is FileName => Object.hasOwn(FILES, file);

class DocsFile {
  @Text({ min: 1, max: 64 }) file: string;
}

// Swagger UI writes style attributes. Scripts are loaded only from this origin.
const CSP = [
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the API documents as files and as a page. */
@Controller()
export class DocsController {
  private readonly files = new Map<FileName, Asset>();

  constructor(
    private readonly description: ApiDescription,
    private readonly config: Config,
  ) {}

  /** Get the OpenAPI document. */
  @Get('openapi.json')
  @CredentialFree()
  @RateLimit('instance:info')
  @Cors('any')
  @Answers({ type: 'application/json', headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  async openapi(@TheCall() call: Call) {
    this.demandEnabled();
    const description = await this.description.get();
    return this.send(call, description, 'application/json; charset=utf-8');
  }

  /** Get the AsyncAPI document of the gateway. */
  @Get('asyncapi.json')
  @CredentialFree()
  @RateLimit('instance:info')
  @Cors('any')
  @Answers({ type: 'application/json', headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  async asyncapi(@TheCall() call: Call) {
    this.demandEnabled();
    const description = await this.description.getGateway();
    return this.send(call, description, 'application/json; charset=utf-8');
  }

  /** Show the API reference as a page. */
  @Get('docs')
  @CredentialFree()
  @RateLimit('instance:info')
  @Answers({ type: 'text/html' })
  page(@TheCall() call: Call) {
    this.demandEnabled();
    call.res.setHeader('Content-Type', 'text/html; charset=utf-8');
    call.res.setHeader('Content-Security-Policy', CSP);
    call.res.setHeader('Cache-Control', 'no-cache');
    return DOCS_PAGE;
  }

  /** Get a file of the API reference page. */
  @Get('docs/:file')
  @CredentialFree()
  @RateLimit('instance:info')
  @Answers({ type: ['text/css', 'text/javascript'], headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  file(@Param() { file }: DocsFile, @TheCall() call: Call) {
    this.demandEnabled();
    if (!isKnown(file)) throw new Refusal('NOT_FOUND');
    return this.send(call, this.asset(file), FILES[file]);
  }

  /** Reads the file on the first request and caches it. */
  private asset(file: FileName): Asset {
    const known = this.files.get(file);
    if (known) return known;
    const bytes = readFileSync(pathOf(file));
    const asset = { bytes, etag: `"${hash('sha256', bytes, 'hex').slice(0, 32)}"` };
    this.files.set(file, asset);
    return asset;
  }

  private send(call: Call, { bytes, etag }: Asset, type: string): typeof ANSWERED | undefined {
    if (this.isFresh(call, etag)) return undefined;
    const isHead = call.req.method === 'HEAD';
    if (!isHead) call.transfers.beginAnswer(call);
    call.res.setHeader('Content-Type', type);
    call.res.setHeader('Content-Length', bytes.length);
    if (isHead) call.res.end();
    else call.transfers.send(call, bytes, () => {});
    return ANSWERED;
  }

  private isFresh({ req, res }: Call, etag: string): boolean {
    res.setHeader('ETag', etag);
    res.setHeader('Cache-Control', 'no-cache');
    if (!callerHas(req, etag)) return false;
    res.statusCode = 304;
    return true;
  }

  private demandEnabled(): void {
    if (!this.config.docsEnabled) throw new Refusal('NOT_FOUND');
  }
}
