import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { Commands } from '../gateway/commands/commands.service.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import { type RoutePlan, servesPages } from '../policy/plan.js';
import { Routes } from '../policy/routes.js';
import { type ApiMetadata, mergeMetadata, type Schema } from './api-metadata.js';
import type { Facts } from './document.js';

export interface ApiDocument {
  /** JSON. */
  readonly bytes: Buffer;
  readonly etag: string;
}

/** What the compiler knows about the built-in controllers. Written by `npm run describe`. */
const BUILT_IN_METADATA_FILE = fileURLToPath(new URL('api-metadata.json', import.meta.url));

/**
 * The OpenAPI and AsyncAPI documents, generated on first use from the routes, their policies and handler metadata. The
 * generator is not loaded before that.
 */
@Injectable()
export class ApiDocuments {
  /** Without pages and tools for development, which have no clients. */
  readonly get = cached(() => this.document(this.routes.all.filter(isForClients)).then(serialize));
  readonly getGateway = cached(() => this.gatewayDocument().then(serialize));
  private files: readonly string[] = [];

  constructor(
    private readonly routes: Routes,
    private readonly commands: Commands,
    private readonly config: Config,
    private readonly features: FeatureRegistry,
  ) {}

  /** Adds the files that `gatehouse describe` wrote for extensions. */
  attach(files: readonly string[]): void {
    this.files = files;
  }

  /** The OpenAPI document as an object, for programs in the same process. */
  async document(plans: readonly RoutePlan[] = this.routes.all): Promise<Schema> {
    const { documentOf } = await import('./document.js');
    await nextTurn();
    return documentOf(plans, this.loadMetadata(), this.facts);
  }

  /** The AsyncAPI 3 document of the gateway. */
  async gatewayDocument(): Promise<Schema> {
    const { messagesOf } = await import('./messages.js');
    return messagesOf(this.loadMetadata(), this.commands.all, this.facts);
  }

  private get facts(): Facts {
    const { productName, publicOrigin: origin } = this.config;
    return { productName, origin, features: this.features };
  }

  private loadMetadata(): ApiMetadata {
    const files = [BUILT_IN_METADATA_FILE, ...this.files];
    return mergeMetadata(files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as ApiMetadata));
  }
}

/** First segments of the paths of pages and of tools for development. */
const PAGES: readonly unknown[] = ['assets', 'dev', 'docs', 'guides'];

const isForClients = (plan: RoutePlan): boolean => !servesPages(plan) && !PAGES.includes(plan.path.split('/')[1]);

/** Keeps the result of the first successful call. The call after a failure tries again. */
function cached<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= make().catch((error) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}

async function serialize(document: Schema): Promise<ApiDocument> {
  await nextTurn();
  const bytes = Buffer.from(JSON.stringify(document));
  await nextTurn();
  return { bytes, etag: `"${hash('sha256', bytes, 'hex').slice(0, 32)}"` };
}
