import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Commands } from '../gateway/commands/commands.service.js';
import { Routes } from '../policy/routes.js';
import { type Described, merged, type Schema } from './described.js';
import type { Facts } from './document.js';

export interface Description {
  /** JSON. */
  readonly bytes: Buffer;
  readonly etag: string;
}

/**
 * The metadata file of the build. It does not exist when the sources run directly. Then it must be passed to `attach`.
 */
const OWN = fileURLToPath(new URL('../../description.json', import.meta.url));

/**
 * The OpenAPI and AsyncAPI documents, generated on first use from the routes, their policies and handler metadata. The
 * generator is not loaded before that.
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

  /** Adds the files that `gatehouse describe` wrote for extensions. */
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

  /** The OpenAPI document as an object, for programs in the same process. */
  async document(): Promise<Schema> {
    const { documentOf } = await import('./document.js');
    await nextTurn();
    return documentOf(this.routes.all, this.described(), this.facts);
  }

  /** The AsyncAPI 3 document of the gateway. */
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

async function written(document: Schema): Promise<Description> {
  await nextTurn();
  const bytes = Buffer.from(JSON.stringify(document));
  await nextTurn();
  return { bytes, etag: `"${hash('sha256', bytes, 'hex').slice(0, 32)}"` };
}
