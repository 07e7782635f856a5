import { Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Config } from '../../core/config/config.js';
import { Keyring } from '../../core/secrets.js';
import { getOwnHosts, parseTarget } from '../../platform/outbound/targets.js';
import { type Claims, signCapability } from './capability.js';
import { urlPath } from './keys.js';
import { opaqueTarget, signatureOf } from './signature.js';

/** A URL of external media at this service. `expires_at` is `null` if the URL is valid as long as its secret. */
export interface SignedUrl {
  readonly proxy_url: string;
  readonly expires_at: string | null;
}

/** Issues all URLs below the public base URL for media (media.md sections 3 to 5). */
@Injectable()
export class MediaUrlService {
  /** The first secret signs; all secrets verify. @internal */
  readonly relaySecrets: readonly Uint8Array[];
  /** @internal */
  readonly signingSecrets: readonly string[];
  private readonly base: string;
  private readonly ownHosts: ReadonlySet<string>;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    keyring: Keyring,
  ) {
    const { relaySecrets, signingSecrets } = config.media;
    this.base = config.media.baseUrl;
    this.ownHosts = getOwnHosts(config);
    this.relaySecrets = relaySecrets.length
      ? relaySecrets.map((secret) => Buffer.from(secret, 'base64'))
      : keyring.keys('media-relay').map(({ bytes }) => bytes);
    this.signingSecrets = signingSecrets.length
      ? signingSecrets
      : keyring.keys('media-signing').map(({ bytes }) => bytes.toString('base64url'));
  }

  /** The URL of a stored attachment. */
  attachment(key: string): string {
    return `${this.base}/attachments/${urlPath(key)}`;
  }

  /**
   * Returns a URL that allows one upload to the bucket `uploads`.
   * `reusable`: allows any number of uploads until it expires.
   */
  relay(key: string, maxBytes: number, options: { contentType?: string; reusable?: boolean } = {}) {
    const expires = this.clock.seconds() + this.config.media.relaySeconds;
    const claims: Claims = {
      b: 'uploads',
      k: key,
      m: 'put',
      ...(options.contentType === undefined ? {} : { ct: options.contentType }),
      mb: maxBytes,
      e: expires,
      ...(options.reusable ? { r: true } : {}),
    };
    const [secret] = this.relaySecrets;
    if (!secret) throw new Error('MEDIA_RELAY_SECRETS has no secret');
    return {
      url: `${this.base}/relay/${urlPath(key)}?t=${signCapability(secret, claims)}`,
      expiresAt: new Date(expires * 1000).toISOString(),
    };
  }

  private isOwnUrl(url: string): boolean {
    return URL.canParse(url) && new URL(url).href.startsWith(`${this.base}/`);
  }

  /**
   * Returns the proxy URL of an external URL, or `null` if the URL violates the target rules.
   * `expiresIn` is in seconds; without it the proxy URL is valid as long as its secret. URLs of this service are
   * returned unchanged.
   */
  sign(url: string, { expiresIn }: { expiresIn?: number } = {}): SignedUrl | null {
    if (this.isOwnUrl(url)) return { proxy_url: url, expires_at: null };
    const target = parseTarget(url, { ports: this.config.media.externalPorts, ownHosts: this.ownHosts });
    const [secret] = this.signingSecrets;
    if (!target || !secret) return null;
    const expires = expiresIn === undefined ? null : this.clock.seconds() + expiresIn;
    const signed = `${expires === null ? '' : `e/${expires}/`}${opaqueTarget(target.href)}`;
    return {
      proxy_url: `${this.base}/external/${signatureOf(secret, signed)}/${signed}`,
      expires_at: expires === null ? null : new Date(expires * 1000).toISOString(),
    };
  }
}
