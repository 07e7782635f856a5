import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { INestApplication } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Commands } from '../gateway/commands/commands.service.js';
import { tellFields } from '../http/field-descriptions.js';
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
  private application: INestApplication | undefined;
  private files: readonly string[] = [];
  private made: Promise<Description> | undefined;
  private madeOfGateway: Promise<Description> | undefined;

  constructor(
    private readonly routes: Routes,
    private readonly commands: Commands,
    private readonly config: Config,
  ) {}

  /** `files` are what `gatehouse describe` wrote of the modules that a team adds. */
  attach(application: INestApplication, files: readonly string[]): void {
    this.application = application;
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
    // The factors of sudo mode, which are bound to no parameter.
    const extraModels = this.routes.all.flatMap(({ input }) => (input?.sudo ? [input.sudo] : []));
    const [framework, { documentOf }] = await Promise.all([this.framework(extraModels), import('./document.js')]);
    return documentOf(this.routes.all, this.described(), framework, this.facts);
  }

  /** The description of the gateway: an AsyncAPI 3 document. */
  async gatewayDocument(): Promise<Schema> {
    const extraModels = this.commands.all.flatMap(({ input }) => (input ? [input] : []));
    const [{ components }, { messagesOf }] = await Promise.all([this.framework(extraModels), import('./messages.js')]);
    const inputs = (components?.schemas ?? {}) as Record<string, Schema>;
    return messagesOf(this.described(), this.commands.all, inputs, this.facts);
  }

  private get facts(): Facts {
    const { productName, publicOrigin: origin } = this.config;
    return { productName, origin };
  }

  /** What the framework knows of input classes. */
  private async framework(extraModels: (new () => object)[]) {
    if (!this.application) throw new Error('the description needs the application');
    const { ApiProperty, DocumentBuilder, SwaggerModule } = await import('@nestjs/swagger');
    tellFields(ApiProperty);
    return SwaggerModule.createDocument(this.application, new DocumentBuilder().build(), { extraModels });
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
