import { Injectable } from '@nestjs/common';
import { Config } from '../../core/config/config.js';

export const CSP = "default-src 'none'; frame-ancestors 'none'";

/** The headers of every response, whichever code sends it (conventions.md section 2). */
@Injectable()
export class FixedHeaders {
  private readonly headers: readonly string[];

  constructor(config: Config) {
    this.headers = [
      ...['X-Service-Version', config.buildId],
      ...['X-Content-Type-Options', 'nosniff'],
      ...['Referrer-Policy', 'no-referrer'],
      ...['Content-Security-Policy', CSP],
      ...['Cache-Control', 'no-store'],
      ...(config.publicOrigin.startsWith('https:') ? ['Strict-Transport-Security', 'max-age=31536000'] : []),
    ];
  }

  /** Names and values in turn, for the response to the request with this ID. */
  of(requestId: string): string[] {
    return ['X-Request-ID', requestId, ...this.headers];
  }
}
