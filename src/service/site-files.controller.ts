import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Header, HttpCode } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { ApiResponses } from '../policy/answers.js';
import { type Call, RESPONSE_HANDLED } from '../policy/call.js';
import { CredentialFree, CurrentCall, RateLimit } from '../policy/decorators.js';

// RFC 9116 recommends less than a year, so that outdated contacts are not trusted.
const SECURITY_TXT_LIFETIME_MS = 180 * 86_400_000;
const DAILY = 'public, max-age=86400';
const FOR_MINUTES = 'public, max-age=300';

/** Serves well-known files for browsers, password managers, crawlers and security researchers. */
@Controller()
export class SiteFilesController {
  private readonly icon = readFileSync(join(import.meta.dirname, 'favicon.ico'));

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Get the icon of the site. */
  @Get('favicon.ico')
  @CredentialFree()
  @RateLimit('instance:info')
  @ApiResponses({ type: 'image/x-icon' })
  favicon(@CurrentCall() { res }: Call) {
    res.setHeader('Content-Type', 'image/x-icon');
    res.setHeader('Cache-Control', DAILY);
    res.end(this.icon);
    return RESPONSE_HANDLED;
  }

  /** Get the robots file. It excludes the whole site from search engines. */
  @Get('robots.txt')
  @CredentialFree()
  @RateLimit('instance:info')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  @Header('Cache-Control', DAILY)
  @ApiResponses({ type: 'text/plain' })
  robots() {
    return 'User-agent: *\nDisallow: /\n';
  }

  /** Get the security contact (RFC 9116). Returns 404 if the operator has not set one. */
  @Get('.well-known/security.txt')
  @CredentialFree()
  @RateLimit('instance:info')
  @ApiResponses({ type: 'text/plain' })
  securityContact(@CurrentCall() { res }: Call) {
    const { securityContacts, publicOrigin } = this.config;
    if (securityContacts.length === 0) throw new ApiError('NOT_FOUND');
    res.setHeader('Content-Type', 'text/plain; charset=utf-8');
    res.setHeader('Cache-Control', DAILY);
    const expires = new Date(this.clock.now() + SECURITY_TXT_LIFETIME_MS).toISOString();
    const lines = [
      ...securityContacts.map((contact) => `Contact: ${contact}`),
      `Expires: ${expires}`,
      `Canonical: ${publicOrigin}/.well-known/security.txt`,
    ];
    return `${lines.join('\n')}\n`;
  }

  /** List the origins that may use passkeys of this relying party. See "related origins" in WebAuthn Level 3. */
  @Get('.well-known/webauthn')
  @CredentialFree()
  @RateLimit('instance:info')
  @Header('Cache-Control', FOR_MINUTES)
  relatedOrigins(): { origins: string[] } {
    return { origins: this.config.webauthnOrigins.filter((origin) => origin.startsWith('http')) };
  }

  /** Get the pages where users add and manage passkeys (W3C Passkey Endpoints). For password managers. */
  @Get('.well-known/passkey-endpoints')
  @CredentialFree()
  @RateLimit('instance:info')
  @Header('Cache-Control', FOR_MINUTES)
  passkeyEndpoints(): { enroll: string; manage: string } {
    const page = `${this.config.webAppUrl}/account/passkeys`;
    return { enroll: page, manage: page };
  }

  /** Redirect to the page for changing the password. For password managers. */
  @Get('.well-known/change-password')
  @HttpCode(302)
  @CredentialFree()
  @RateLimit('instance:info')
  @ApiResponses({ headers: ['Location'], description: 'The page for it' })
  changePassword(@CurrentCall() { res }: Call) {
    res.setHeader('Location', `${this.config.webAppUrl}/account/password`);
  }
}
