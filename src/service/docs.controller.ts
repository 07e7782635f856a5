import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Param } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { type ApiDocument, ApiDocuments } from '../description/description.service.js';
import { type BuiltFile, compressLarge, readFile } from '../http/files/built-files.js';
import { sendFile } from '../http/files/file-responses.js';
import { Text } from '../http/input.js';
import { ApiResponses } from '../policy/answers.js';
import type { Call, RESPONSE_HANDLED } from '../policy/call.js';
import { Cors, CredentialFree, CurrentCall, RateLimit } from '../policy/decorators.js';
import { DOCS_PAGE } from './docs.page.js';

const STATIC = join(import.meta.dirname, 'static');
const swaggerUi = () => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/**
 * The files of the page and the folders with their sources. The build copies all of them next to the built-in ones.
 */
const SOURCES = {
  'swagger-ui.css': swaggerUi,
  'swagger-ui-bundle.js': swaggerUi,
  'tokens.css': () => join(import.meta.dirname, '../../web/kit'),
  'docs.css': () => STATIC,
  'start.js': () => STATIC,
};

type FileName = keyof typeof SOURCES;

const isKnown = (file: string): file is FileName => Object.hasOwn(SOURCES, file);

function load(file: FileName): BuiltFile {
  const folder = existsSync(join(STATIC, file)) ? STATIC : SOURCES[file]();
  return readFile(folder, file);
}

class DocsFile {
  @Text({ min: 1, max: 64 }) file: string;
}

// Swagger UI sets style attributes. Scripts are loaded only from this origin.
const CSP = [
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the API documents as files and as a page. */
@Controller()
export class DocsController {
  private readonly files = new Map<FileName, BuiltFile>();
  private readonly documents = new WeakMap<Buffer, Promise<BuiltFile>>();

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
    return this.sendDocument(call, await this.apiDocuments.get());
  }

  /** Get the AsyncAPI document of the gateway. */
  @Get('asyncapi.json')
  @CredentialFree()
  @RateLimit('instance:info')
  @Cors('any')
  @ApiResponses({ type: 'application/json', headers: ['ETag'] }, { status: 304, headers: ['ETag'] })
  async asyncapi(@CurrentCall() call: Call) {
    this.assertEnabled();
    return this.sendDocument(call, await this.apiDocuments.getGateway());
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
    const known = this.files.get(file) ?? load(file);
    this.files.set(file, known);
    call.res.setHeader('Cache-Control', 'no-cache');
    return sendFile(call, known);
  }

  /** Compresses a document on its first request. */
  private async sendDocument(call: Call, { bytes }: ApiDocument): Promise<typeof RESPONSE_HANDLED | undefined> {
    const compressed = this.documents.get(bytes) ?? compressLarge(bytes, 'application/json; charset=utf-8');
    this.documents.set(bytes, compressed);
    const file = await compressed;
    call.res.setHeader('Cache-Control', 'no-cache');
    return sendFile(call, file);
  }

  private assertEnabled(): void {
    if (!this.config.docsEnabled) throw new ApiError('NOT_FOUND');
  }
}
