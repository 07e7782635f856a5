import { hash } from 'node:crypto';
import { type INestApplication, Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Config } from '../core/config/config.js';
import { errorTable } from '../core/errors.js';
import { tellFields } from '../http/field-descriptions.js';
import type { PolicyKind, RoutePolicy } from '../policy/route-policy.js';
import { describePolicy, Routes } from '../policy/routes.js';

type Scheme = 'session' | 'bot' | 'bearer' | 'admin-key' | 'client';

const SCHEMES: Readonly<Record<PolicyKind, readonly Scheme[]>> = {
  Public: [],
  CredentialFree: [],
  Authenticated: ['session', 'bot'],
  UserOnly: ['session'],
  BotOnly: ['bot'],
  BearerOnly: ['bearer'],
  AdminAcl: ['session', 'bearer', 'admin-key'],
  ClientAuth: ['client'],
};

const schemesOf = ({ kind, scope }: RoutePolicy): Scheme[] => [
  ...new Set([...SCHEMES[kind], ...(scope !== undefined ? (['bearer'] as const) : [])]),
];

export interface Description {
  readonly json: string;
  readonly etag: string;
}

/**
 * The OpenAPI description, made from the routes and their policies when it is first asked for: until then, nothing of what
 * makes it is loaded.
 */
@Injectable()
export class ApiDescription {
  private application: INestApplication | undefined;
  private made: Promise<Description> | undefined;

  constructor(
    private readonly routes: Routes,
    private readonly config: Config,
  ) {}

  attach(application: INestApplication): void {
    this.application = application;
  }

  get(): Promise<Description> {
    this.made ??= this.make();
    return this.made;
  }

  private async make(): Promise<Description> {
    if (!this.application) throw new Error('the description needs the application');
    const { ApiProperty, DocumentBuilder, SwaggerModule } = await import('@nestjs/swagger');
    tellFields(ApiProperty);
    const base = new DocumentBuilder()
      .setTitle(this.config.productName)
      .setDescription('Errors are JSON with `code` and `message`; clients branch on `code` alone.')
      .setVersion('1')
      .addServer('/')
      .addApiKey({ type: 'apiKey', in: 'header', name: 'Authorization', description: 'flx_... as it is' }, 'session')
      .addApiKey({ type: 'apiKey', in: 'header', name: 'Authorization', description: 'Bot <token>' }, 'bot')
      .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'OAuth2 access token' }, 'bearer')
      .addApiKey({ type: 'apiKey', in: 'header', name: 'Authorization', description: 'Admin <key>' }, 'admin-key')
      .addBasicAuth({ type: 'http', scheme: 'basic', description: 'Client id and secret' }, 'client')
      .build();
    const document = SwaggerModule.createDocument(this.application, base);
    this.addPolicies(document);
    const json = JSON.stringify({
      ...document,
      'x-error-codes': Object.fromEntries(errorTable().map(([code, status, message]) => [code, { status, message }])),
    });
    return { json, etag: `"${hash('sha256', json, 'hex').slice(0, 32)}"` };
  }

  private addPolicies(document: OpenAPIObject): void {
    for (const { method, path, policy } of this.routes.all) {
      const template = path.replace(/[:*](\w+)/g, '{$1}');
      const operation = document.paths[template]?.[method.toLowerCase() as 'get'];
      if (!operation) continue;
      operation.security = schemesOf(policy).map((scheme) => ({ [scheme]: [] }));
      operation.description = [operation.description, `Policy: \`${describePolicy(policy)}\``]
        .filter(Boolean)
        .join('\n\n');
    }
  }
}
