import { Injectable } from '@nestjs/common';
import { ApiError } from '../../core/errors.js';
import { digest, equalsInConstantTime, mintToken } from '../../core/secrets.js';
import { getBody } from '../../http/body.js';
import { snowflakeFault } from '../../http/input.js';
import { batchById } from '../../platform/database/batcher.js';
import { Database } from '../../platform/database/database.js';
import type { Call } from '../../policy/call.js';
import type { Client } from '../../policy/identity.js';
import { Arrivals } from './arrivals.js';
import { boundedValue, type Form, formValue } from './form.js';
import { oauthError } from './oauth-errors.js';
import { StoreClock } from './store-clock.js';

/**
 * Returns a row of the same size for every requested ID, so that timing does not reveal unknown applications (oauth.md
 * 5.5).
 */
const CLIENTS_BY_ID = `
  SELECT wanted.id, coalesce(a.client_type, 'nobody') AS client_type, coalesce(a.secret_digest, $2) AS secret_digest,
    coalesce(a.resource_scopes, '{}') AS resource_scopes, coalesce(a.resource_policies, '{}') AS resource_policies,
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now
  FROM unnest($1::bigint[]) wanted (id) LEFT JOIN application a ON a.id = wanted.id`;

interface ClientRow {
  readonly id: string;
  readonly client_type: 'confidential' | 'public' | 'nobody';
  readonly secret_digest: Buffer;
  readonly resource_scopes: string[];
  readonly resource_policies: string[];
  readonly now: number;
}

const MAX_BASIC_LENGTH = 1024;

/** Client authentication of the OAuth2 token operations (oauth.md 5.5). All failures get the same error. */
@Injectable()
export class ClientAuthenticator {
  /** A digest to compare with if the client has no secret. No client can know its secret. */
  private readonly dummy = digest(mintToken());
  private readonly find = batchById((ids) => this.applicationsOf(ids));

  constructor(
    private readonly database: Database,
    private readonly storeClock: StoreClock,
    private readonly arrivals: Arrivals,
  ) {}

  /** @throws ApiError INVALID_CLIENT, INVALID_REQUEST, 413, 415 */
  async authenticate(call: Call, confidentialOnly: boolean): Promise<void> {
    this.arrivals.note();
    const { id, secret } = readCredentials(call, takesForm(call) ? await formOf(call) : NO_FORM);
    const application = snowflakeFault(id) === undefined ? await this.find(id) : undefined;
    const isRight = equalsInConstantTime(digest(secret ?? ''), application?.secret_digest ?? this.dummy);
    const confidential = application?.client_type === 'confidential';
    const isPublic = application?.client_type === 'public' && secret === undefined && !confidentialOnly;
    const isAuthentic = confidential ? isRight && secret !== undefined : isPublic;
    if (!isAuthentic) throw oauthError('invalid_client');
    const { resource_scopes: resourceScopes = [], resource_policies: resourcePolicies = [] } = application ?? {};
    const beganAt = this.storeClock.at(call.startedAt);
    call.client = { applicationId: id, confidential, resourceScopes, resourcePolicies, beganAt };
  }

  private async applicationsOf(ids: string[]): Promise<Map<string, ClientRow>> {
    const sent = performance.now();
    const rows = await this.database.statement<ClientRow>('oauth-client', CLIENTS_BY_ID, [ids, this.dummy]);
    const received = performance.now();
    for (const { now } of rows) this.storeClock.observe(now, sent, received);
    return new Map(rows.map((row) => [row.id, row]));
  }
}

const NO_FORM: Form = {};

/** Only forms contain the credentials of clients. With any other body, clients authenticate with the header. */
const takesForm = ({ plan }: Call): boolean => plan === undefined || plan.accepts.kind === 'form';

/** Returns the client that the guard has authenticated. */
export function clientOf(call: Call): Client {
  if (!call.client) throw new Error('The route has no client. Declare @ClientAuth()');
  return call.client;
}

/**
 * Returns the form of the request.
 * @throws ApiError INVALID_REQUEST, 413, 415
 */
export async function formOf(call: Call): Promise<Form> {
  const body = await getBody(call);
  if (!('fault' in body)) return body.value;
  if (body.fault instanceof ApiError && body.fault.code === 'INVALID_FORM_BODY') throw oauthError('invalid_request');
  throw body.fault;
}

function readCredentials(call: Call, form: Form): { id: string; secret: string | undefined } {
  const [, ...query] = call.target.split('?');
  if (new URLSearchParams(query.join('?')).has('client_secret')) {
    throw oauthError('invalid_request', ['client_secret']);
  }
  const formId = formValue(form, 'client_id');
  const formSecret = boundedValue(form, 'client_secret');
  const [header, ...more] = call.authorization;
  if (header === undefined) {
    call.clientCredential = guessOf(formId, formSecret);
    if (formId === undefined) throw oauthError('invalid_client');
    return { id: formId, secret: formSecret };
  }
  const basic = more.length === 0 ? parseBasic(header) : null;
  call.clientCredential = basic ? guessOf(basic.id, basic.secret) : call.authorization.join('\n');
  if (!basic) throw oauthError('invalid_client');
  if (formSecret !== undefined) throw oauthError('invalid_request', ['client_secret']);
  if (formId !== undefined && formId !== basic.id) throw oauthError('invalid_request', ['client_id']);
  return basic;
}

/** The presented credentials, in one format for all ways of sending them. */
const guessOf = (id: string | undefined, secret: string | undefined): string => JSON.stringify([id, secret]);

/** Parses Basic credentials (RFC 6749 section 2.3.1): strict Base64 of percent-encoded ID and secret. */
function parseBasic(header: string): { id: string; secret: string | undefined } | null {
  const encoded = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1];
  if (encoded === undefined || header.length > MAX_BASIC_LENGTH) return null;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return null;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return null;
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
    return { id: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) || undefined };
  } catch {
    return null;
  }
}
