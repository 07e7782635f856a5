import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Commands } from '../gateway/commands/commands.service.js';
import { Routes } from '../policy/routes.js';
import { type Described, merged, type Schema } from './described.js';
import type { Facts } from './document.js';

export interface Description {
  readonly json: string;
  readonly etag: string;
}

/** Beside what was built. Where the sources run as they are, there is none: whoever runs them names it. */
const OWN = fileURLToPath(new URL('../../description.json', import.meta.url));

/**
 * The OpenAPI description, made from the routes, their policies and what the compiler knows of their handlers when it is
 * first asked for: until then, nothing of what makes it is loaded.
 */
@Injectable()
export class ApiDescription {
  private files: readonly string[] = [];
  private made: Promise<Description> | undefined;
  private madeOfGateway: Promise<Description> | undefined;

  constructor(
    private readonly routes: Routes,
    private readonly commands: Commands,
    private readonly config: Config,
  ) {}

  /** `files` are what `gatehouse describe` wrote of the modules that a team adds. */
  attach(files: readonly string[]): void {
    this.files = files;
  }

  get(): Promise<Description> {
    this.made ??= this.document().then(written);
    return this.made;
  }

  getGateway(): Promise<Description> {
    this.madeOfGateway ??= this.gatewayDocument().then(written);
    return this.madeOfGateway;
  }

  /** The description as an object, for programs in the same process. */
  async document(): Promise<Schema> {
    const { documentOf } = await import('./document.js');
    return documentOf(this.routes.all, this.described(), this.facts);
  }

  /** The description of the gateway: an AsyncAPI 3 document. */
  async gatewayDocument(): Promise<Schema> {
    const { messagesOf } = await import('./messages.js');
    return messagesOf(this.described(), this.commands.all, this.facts);
  }

  private get facts(): Facts {
    const { productName, publicOrigin: origin } = this.config;
    return { productName, origin };
  }

  private described(): Described {
    const files = [...(existsSync(OWN) ? [OWN] : []), ...this.files];
    return merged(files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Described));
  }
}

function written(document: Schema): Description {
  const json = JSON.stringify(document);
  return { json, etag: `"${hash('sha256', json, 'hex').slice(0, 32)}"` };
}
