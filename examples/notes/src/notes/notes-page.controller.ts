import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  ApiError,
  ApiResponses,
  type Call,
  Config,
  CredentialFree,
  CurrentCall,
  pageHeaders,
  RateLimit,
  Text,
} from '@gatehouse-auth/server';
import { Controller, Get, Header, Param } from '@nestjs/common';

class FilePath {
  @Text({ min: 1, max: 64, pattern: /^[a-z][a-z-]{0,50}\.js$/, form: 'INVALID_FORMAT' }) file: string;
}

/** A file that `npm run build` has placed next to the compiled code. */
const built = (name: string): string => readFileSync(new URL(`../../page/${name}`, import.meta.url), 'utf8');

/** The folder of `@gatehouse-auth/client`, which the page loads next to its own script. */
const CLIENT = dirname(createRequire(import.meta.url).resolve('@gatehouse-auth/client'));
const CLIENT_FILES: ReadonlySet<string> = new Set(readdirSync(CLIENT).filter((name) => name.endsWith('.js')));

/** A page of notes. It has no privileges of its own and only uses the API. */
@Controller('notes')
export class NotesPageController {
  private readonly files = { page: built('notes.html'), script: built('notes.js'), style: built('notes.css') };

  constructor(private readonly config: Config) {}

  /** Returns the page. */
  @Get()
  @CredentialFree()
  @RateLimit('notes:page')
  @ApiResponses({ type: 'text/html' })
  page(@CurrentCall() { res }: Call) {
    for (const [name, value] of Object.entries(pageHeaders(this.config))) res.setHeader(name, value);
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    return this.files.page;
  }

  /** Returns the script of the page. */
  @Get('notes.js')
  @CredentialFree()
  @RateLimit('notes:page')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @ApiResponses({ type: 'text/javascript' })
  script() {
    return this.files.script;
  }

  /** Returns the style sheet of the page. */
  @Get('notes.css')
  @CredentialFree()
  @RateLimit('notes:page')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @ApiResponses({ type: 'text/css' })
  style() {
    return this.files.style;
  }

  /** Returns a file of the client package. */
  @Get('client/:file')
  @CredentialFree()
  @RateLimit('notes:page')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @ApiResponses({ type: 'text/javascript' })
  client(@Param() { file }: FilePath) {
    if (!CLIENT_FILES.has(file)) throw new ApiError('NOT_FOUND');
    return readFileSync(join(CLIENT, file), 'utf8');
  }
}
