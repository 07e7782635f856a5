import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Param } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { ApiDocuments } from '../description/description.service.js';
import { isNotModified } from '../http/conditions.js';
import { Text } from '../http/input.js';
import { ApiResponses } from '../policy/answers.js';
import { type Call, RESPONSE_HANDLED } from '../policy/call.js';
import { Cors, CredentialFree, CurrentCall, RateLimit } from '../policy/decorators.js';
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
    private readonly apiDocuments: ApiDocuments,
    private readonly config: Config,
  ) {}

  /** Get the OpenAPI document. */
  @Get('openapi.json')
  @CredentialFree()
  @RateLimit('instance:info')
  @Cors('any')
  @ApiResponses({ type: 'application/json', headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  async openapi(@CurrentCall() call: Call) {
    this.assertEnabled();
    const description = await this.apiDocuments.get();
    return this.send(call, description, 'application/json; charset=utf-8');
  }

  /** Get the AsyncAPI document of the gateway. */
  @Get('asyncapi.json')
  @CredentialFree()
  @RateLimit('instance:info')
  @Cors('any')
  @ApiResponses({ type: 'application/json', headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  async asyncapi(@CurrentCall() call: Call) {
    this.assertEnabled();
    const description = await this.apiDocuments.getGateway();
    return this.send(call, description, 'application/json; charset=utf-8');
  }

  /** Show the API reference as a page. */
  @Get('docs')
  @CredentialFree()
  @RateLimit('instance:info')
  @ApiResponses({ type: 'text/html' })
  page(@CurrentCall() call: Call) {
    this.assertEnabled();
    call.res.setHeader('Content-Type', 'text/html; charset=utf-8');
    call.res.setHeader('Content-Security-Policy', CSP);
    call.res.setHeader('Cache-Control', 'no-cache');
    return DOCS_PAGE;
  }

  /** Get a file of the API reference page. */
  @Get('docs/:file')
  @CredentialFree()
  @RateLimit('instance:info')
  @ApiResponses({ type: ['text/css', 'text/javascript'], headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  file(@Param() { file }: DocsFile, @CurrentCall() call: Call) {
    this.assertEnabled();
    if (!isKnown(file)) throw new ApiError('NOT_FOUND');
    return this.send(call, this.asset(file), FILES[file]);
  }

  /** Read the file on the first request and caches it. */
  private asset(file: FileName): Asset {
    const known = this.files.get(file);
    if (known) return known;
    const bytes = readFileSync(pathOf(file));
    const asset = { bytes, etag: `"${hash('sha256', bytes, 'hex').slice(0, 32)}"` };
    this.files.set(file, asset);
    return asset;
  }

  private send(call: Call, { bytes, etag }: Asset, type: string): typeof RESPONSE_HANDLED | undefined {
    if (this.isFresh(call, etag)) return undefined;
    const isHead = call.req.method === 'HEAD';
    if (!isHead) call.transfers.beginResponse(call);
    call.res.setHeader('Content-Type', type);
    call.res.setHeader('Content-Length', bytes.length);
    if (isHead) call.res.end();
    else call.transfers.send(call, bytes, () => {});
    return RESPONSE_HANDLED;
  }

  private isFresh({ req, res }: Call, etag: string): boolean {
    res.setHeader('ETag', etag);
    res.setHeader('Cache-Control', 'no-cache');
    if (!isNotModified(req, etag)) return false;
    res.statusCode = 304;
    return true;
  }

  private assertEnabled(): void {
    if (!this.config.docsEnabled) throw new ApiError('NOT_FOUND');
  }
}
