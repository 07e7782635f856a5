import { Injectable } from '@nestjs/common';
import type { JSONWebKeySet } from 'jose';
import type { CustomFetch } from 'openid-client';
import { Config } from '../../core/config/config.js';
import { ApiError } from '../../core/errors.js';
import { Log } from '../../core/log.js';
import { isWithinJsonLimits } from '../../core/text/json-shape.js';
import { isStorableJson } from '../../core/text/text.js';
import {
  effectiveEndpoints,
  hasRequiredEndpoints,
  type SsoEndpoints,
  type SsoSettings,
} from '../../platform/instance/instance.js';
import { OutboundFault } from '../../platform/outbound/network.js';
import { Outbound, type OutboundResponse } from '../../platform/outbound/outbound.js';
import { type CachedDocument, SsoDocuments } from './sso-documents.service.js';

/** The metadata of the provider that this service uses. */
export interface ProviderMetadata extends SsoEndpoints {
  readonly tokenAuthMethods: readonly string[] | null;
  readonly algorithms: readonly string[] | null;
}

/** The metadata of the provider names an issuer other than the configured one. */
export class IssuerMismatch extends Error {}

export type OpenId = typeof import('openid-client');
export type JsonObject = Record<string, unknown>;

const METADATA_TTL_MS = 3_600_000; // sso.md section 5
const KEYS_TTL_MS = 600_000;
const MAX_KEYS = 100;
const MAX_URL = 2048;

/** 502: a needed request to the provider failed (sso.md section 5). The cause is logged. */
export const providerDown = (cause: unknown): ApiError =>
  new ApiError('BAD_GATEWAY').withHeaders({ 'Retry-After': '5' }).withCause(cause);

/** Returns the JSON of a response, or `null` if it is not JSON. */
export function jsonOf({ body }: OutboundResponse): unknown {
  try {
    return isWithinJsonLimits(body) ? JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) : null;
  } catch {
    return null;
  }
}

export function jsonObject(response: OutboundResponse): JsonObject | null {
  const value = jsonOf(response);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** A response for the client library, which gets only status 200. All other responses are handled before. */
export const responseOf = ({ body }: OutboundResponse): Response =>
  new Response(new Uint8Array(body), { status: 200, headers: { 'content-type': 'application/json' } });

/** Returns the error that a fetch for the client library threw. The library wraps it. */
export function findApiError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  return error instanceof Error && error.cause !== undefined ? findApiError(error.cause) : null;
}

/** Whether a value is a URL of the provider: https, with a host, without user info and fragment (sso.md section 1). */
export function isProviderUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_URL || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return protocol === 'https:' && !username && !password && /^https:\/\/[^/?#@\\\s]+(?:[/?][^#\\\s]*)?$/i.test(value);
}

const urlOrNull = (value: unknown): string | null => (isProviderUrl(value) ? value : null);
const stringList = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string').slice(0, 50) : null;

const toMetadata = (document: Readonly<JsonObject>): ProviderMetadata => ({
  authorizationUrl: urlOrNull(document.authorization_endpoint),
  tokenUrl: urlOrNull(document.token_endpoint),
  userinfoUrl: urlOrNull(document.userinfo_endpoint),
  jwksUrl: urlOrNull(document.jwks_uri),
  tokenAuthMethods: stringList(document.token_endpoint_auth_methods_supported),
  algorithms: stringList(document.id_token_signing_alg_values_supported),
});

/** Returns the published document if it can be stored. */
function parseDocument(response: OutboundResponse): JsonObject | null {
  const document = response.status === 200 ? jsonObject(response) : null;
  return isStorableJson(document) ? document : null;
}

function keysOf(response: OutboundResponse): JSONWebKeySet {
  const keys = parseDocument(response)?.keys;
  const isSet = Array.isArray(keys) && keys.length <= MAX_KEYS && keys.every((key) => typeof key === 'object' && key);
  if (!isSet) throw providerDown('The response for the key set is not a valid key set');
  return { keys: keys as JSONWebKeySet['keys'] };
}

/** The metadata and the keys that the OpenID Connect provider publishes. All requests go through `Outbound`. */
@Injectable()
export class SsoProvider {
  private library: Promise<OpenId> | undefined;

  constructor(
    private readonly outbound: Outbound,
    private readonly documents: SsoDocuments,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * Fetches and stores the metadata of the issuer, even if there is a copy.
   * @throws ApiError BAD_GATEWAY, IssuerMismatch
   */
  async discover(issuer: string): Promise<ProviderMetadata> {
    return (await this.documents.renew(issuer, () => this.fetchMetadata(issuer))).value;
  }

  /**
   * Returns the current endpoints. Configured endpoints take precedence over the metadata, which is refreshed hourly.
   * @throws ApiError BAD_GATEWAY
   */
  async metadata(settings: SsoEndpoints & Pick<SsoSettings, 'issuer'>): Promise<ProviderMetadata> {
    const { issuer } = settings;
    if (hasRequiredEndpoints(settings))
      return { ...effectiveEndpoints(settings), tokenAuthMethods: null, algorithms: null };
    if (issuer === null) throw providerDown('Neither an issuer nor all endpoints are set');
    const { value } = await this.documents
      .get(issuer, METADATA_TTL_MS, () => this.fetchMetadata(issuer))
      .catch((error) => {
        throw error instanceof IssuerMismatch ? providerDown('The metadata names another issuer') : error;
      });
    return { ...value, ...effectiveEndpoints(settings, value) };
  }

  /** Returns the keys, which are refreshed every 10 minutes. */
  keys(jwksUrl: string): Promise<CachedDocument<JSONWebKeySet>> {
    return this.documents.get(jwksUrl, KEYS_TTL_MS, () => this.fetchKeys(jwksUrl));
  }

  /**
   * Returns newer keys if a key was not found. Returns `null` if they were already fetched for this reason within the
   * last 60 s.
   */
  keysAfterMiss(jwksUrl: string, missed: CachedDocument<JSONWebKeySet>): Promise<CachedDocument<JSONWebKeySet> | null> {
    return this.documents.renewOnMiss(jwksUrl, missed, () => this.fetchKeys(jwksUrl));
  }

  async fetchKeys(jwksUrl: string): Promise<JSONWebKeySet> {
    return keysOf(await this.request(jwksUrl));
  }

  private async fetchMetadata(issuer: string): Promise<ProviderMetadata> {
    const library = await this.load();
    let named: unknown;
    const fetch: CustomFetch = async (url, options) => {
      const response = await this.request(url, options);
      const document = parseDocument(response);
      if (!document) throw providerDown(`The response for the metadata has status ${response.status} or is not JSON`);
      named = document.issuer;
      return responseOf(response);
    };
    try {
      const found = await library.discovery(new URL(issuer), 'discovery', undefined, library.None(), {
        [library.customFetch]: fetch,
      });
      const document: JsonObject = { ...found.serverMetadata() };
      if (document.issuer === issuer) return toMetadata(document);
    } catch (error) {
      if (typeof named !== 'string')
        throw findApiError(error) ?? providerDown(`The metadata is invalid: ${(error as Error).message}`);
    }
    throw new IssuerMismatch('the provider describes another issuer');
  }

  /**
   * One request to the provider: https, checked addresses, no redirects, 10 s, 1 MiB (sso.md section 1).
   * @throws ApiError BAD_GATEWAY
   */
  async request(url: string, options?: Parameters<CustomFetch>[1]): Promise<OutboundResponse> {
    const { accept = 'application/json', authorization, 'content-type': type } = options?.headers ?? {};
    try {
      if (!isProviderUrl(url)) throw new OutboundFault('target');
      return await this.outbound.request({
        url,
        method: options?.method === 'POST' ? 'POST' : 'GET',
        headers: { accept, ...(authorization ? { authorization } : {}), ...(type ? { 'content-type': type } : {}) },
        ...(options?.body ? { body: String(options.body) } : {}),
        addressPolicy: this.config.sso.allowPrivateAddresses ? 'anywhere' : 'public',
      });
    } catch (error) {
      const reason = error instanceof OutboundFault ? error.reason : 'unknown';
      this.log.warn('request to the identity provider failed', { reason });
      throw providerDown(`The request to the identity provider failed: ${reason}`);
    }
  }

  /** Loads the library on first use, because many instances have no provider. */
  load(): Promise<OpenId> {
    this.library ??= import('openid-client');
    return this.library;
  }
}
