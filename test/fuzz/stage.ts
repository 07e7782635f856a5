import { Passwords } from '../../src/auth/factors/passwords.service.js';
import { featureRegistry } from '../../src/features.js';
import { DnsError } from '../../src/platform/outbound/dns-resolver.js';
import { Network } from '../../src/platform/outbound/network.js';
import {
  basic,
  Client,
  type CredentialSet,
  createCredentialSet,
  enforceSso,
  type Gatehouse,
} from '../support/index.js';
import type { Operation } from './operations.js';
import { targetOf } from './requests.js';

const SCOPES = [...featureRegistry().scopes.keys()];

export const PASSWORD = 'a quiet afternoon of fuzzing';

/** Resolves no host name, so the service never connects to hosts that generated requests contain. */
export class Nowhere extends Network {
  override resolve(): Promise<readonly string[]> {
    return Promise.reject(new DnsError('absent'));
  }
}

/** Settings of the fuzzed service. With them, each response depends only on its own request. */
export const STAGE = {
  env: {
    LOG_LEVEL: 'warn',
    ABUSE_BANS: 'off',
    // Otherwise a URL for back-channel logout is rejected for its host, not for its form.
    BACKCHANNEL_ALLOW_PRIVATE_ADDRESSES: 'true',
    IP_BAN_EXEMPT: '127.0.0.0/8,::1',
  },
  network: new Nowhere(),
};

/** A resource that an operation created. */
export interface Thing {
  /** Path parameters that identify it. */
  readonly path: Readonly<Record<string, string>>;
  /** Whether the service assigned its ID, rather than the caller. */
  readonly isMinted: boolean;
}

interface Cast {
  readonly actor: CredentialSet;
  /** An account that others act on. */
  readonly target: CredentialSet;
  /** Credentials of a confidential application of the actor. */
  readonly client: string;
}

/** Finds the operation that creates the resource named by the last parameter of a path, based on the path structure. */
export function creatorOf(operations: readonly Operation[], path: string): Operation | undefined {
  const parent = path.slice(0, path.lastIndexOf('/'));
  const collection = parent.slice(parent.lastIndexOf('/') + 1);
  const posts = operations.filter(({ method }) => method === 'POST');
  return (
    posts.find((post) => post.path === parent) ??
    posts.find((post) => post.path.endsWith(`/${collection}`) && !post.path.includes('{') && !collection.includes('{'))
  );
}

/** The first string member with this name, at any depth. */
function memberOf(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const own = (value as Record<string, unknown>)[name];
  if (typeof own === 'string') return own;
  for (const part of Object.values(value)) {
    const found = memberOf(part, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Accounts and resources for the requests. Requests may damage them, so they are replaced. */
export class Stage {
  private cast: Promise<Cast> | undefined;
  private things = new Map<string, Promise<Record<string, string>>>();
  private passwordHash: Promise<string> | undefined;

  constructor(
    readonly service: Gatehouse,
    readonly operations: readonly Operation[],
  ) {}

  /**
   * Discards all accounts and resources, because a request may have deleted them. The next request creates new ones.
   */
  async renew({ path }: Operation): Promise<void> {
    this.cast = undefined;
    this.things.clear();
    if (!path.includes('/instance/')) return;
    await enforceSso(this.service, false);
  }

  private people(): Promise<Cast> {
    this.cast ??= this.newCast();
    return this.cast;
  }

  async actor(): Promise<CredentialSet> {
    return (await this.people()).actor;
  }

  private async newCast(): Promise<Cast> {
    this.passwordHash ??= this.service.app.get(Passwords).hash(PASSWORD);
    const [actor, target] = [await this.person(['*']), await this.person([])];
    const { body } = await this.service
      .as(actor.session)
      .post('/v1/oauth2/applications', { name: 'client', redirect_uris: ['https://client.example/callback'] });
    return { actor, target, client: basic(body.id, body.client_secret) };
  }

  private async person(acls: readonly string[]): Promise<CredentialSet> {
    const made = await createCredentialSet(this.service, { acls, scopes: SCOPES });
    await this.service.sql(
      `UPDATE account SET password_hash = $2, email = 'u' || id || '@example.com', email_verified = true WHERE id = $1`,
      [made.accountId, await this.passwordHash],
    );
    return made;
  }

  /** A client that presents a credential of the given kind. */
  async callerOf({ policy }: Operation, kind: string): Promise<Client> {
    // Creating the accounts takes many statements, so anonymous requests skip it.
    if (kind === '') return this.service.anonymous;
    const { actor, client } = await this.people();
    const values: Record<string, string> = {
      session: actor.session,
      bot: actor.bot,
      bearer: policy === 'AdminAcl' ? actor.adminBearer : actor.bearer,
      'admin-key': actor.adminKey,
      client,
    };
    const value = values[kind];
    return value === undefined ? this.service.anonymous : this.service.as(value);
  }

  private creator(prefix: string): Operation | undefined {
    return prefix.startsWith('/media') ? undefined : creatorOf(this.operations, prefix);
  }

  /** Values for the parameters of a path, from resources that are created for it. */
  async pathOf(operation: Operation): Promise<Record<string, string>> {
    if (!operation.path.includes('{')) return {};
    const { target } = await this.people();
    const known: Record<string, string> = {
      user_id: target.accountId,
      application_id: (await this.people()).actor.applicationId,
    };
    for (const [part, name] of operation.path.matchAll(/\{(\w+)\}/g)) {
      const prefix = operation.path.slice(0, operation.path.indexOf(part) + part.length);
      const creator = this.creator(prefix);
      if (creator && name && !(name in known)) Object.assign(known, await this.thingOf(creator, name, known));
    }
    return known;
  }

  private thingOf(creator: Operation, name: string, known: Record<string, string>): Promise<Record<string, string>> {
    const made = this.things.get(creator.id) ?? this.make(creator, name, known).then((thing) => thing?.path ?? {});
    this.things.set(creator.id, made);
    return made;
  }

  /** Creates a resource with the example request of its operation. Returns `undefined` if that is not enough. */
  async make(creator: Operation, name: string, known: Record<string, string> = {}): Promise<Thing | undefined> {
    const example = await this.exampleOf(creator);
    const client = await this.callerOf(creator, creator.credentials.find((kind) => kind !== '') ?? '');
    const { status, body } = await client.send(creator.method, targetOf(creator, known), example);
    if (status >= 300) return undefined;
    const minted = memberOf(body, name) ?? memberOf(body, 'id');
    const value = minted ?? String(Object.values(example)[0]);
    const token = memberOf(body, 'token');
    return { path: { [name]: value, ...(token === undefined ? {} : { token }) }, isMinted: minted !== undefined };
  }

  private async exampleOf({ method, path }: Operation): Promise<Record<string, string>> {
    const { body } = await this.service.anonymous.get('/openapi.json');
    const { requestBody } = body.paths[path][method.toLowerCase()];
    return Object.values<{ example?: Record<string, string> }>(requestBody?.content ?? {})[0]?.example ?? {};
  }
}
