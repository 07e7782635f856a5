import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AccountRecords } from '../accounts/account-records.service.js';
import { Config } from '../core/config/config.js';
import { StartError } from '../core/config/start-error.js';
import { ErrorPages, type ShownError } from '../http/error-pages.js';
import { type BuiltFile, compressFile, readFiles } from '../http/files/built-files.js';
import { Instance } from '../platform/instance/instance.js';
import { CaptchaVerifier } from '../platform/outbound/captcha.js';
import { pageHeaders } from './content-policy.js';
import { showsCaptcha } from './paths.js';

/** Next to the compiled code, or the build output folder when running from the sources. */
const FOLDER = ['../../web/', '../../dist/web/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(`${path}assets`));
const HTML = 'text/html; charset=utf-8';

/** Shown without JavaScript, and until the page of the error is loaded. */
const card = (title: string, text: string): string =>
  `<div class="frame"><main><div class="card stack"><h1>${title}</h1><p>${text}</p></div></main></div>`;
const NEEDS_JAVASCRIPT = card(
  'JavaScript is off',
  'This page needs JavaScript. Turn it on in the settings of your browser, and load the page again.',
);
const MISSING = card('Page not found', 'There’s no page here. <a href="/">Go to the home page</a>');
const FAILED = card('This page can’t be shown', 'Try again later.');

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The built pages, with the name and colors of the platform. No data of a request is inserted. */
@Injectable()
export class Pages implements OnApplicationBootstrap {
  private files: Map<string, BuiltFile>;
  private template: string;
  private readAt = 0;
  private cachedPage: { readonly key: string; readonly page: BuiltFile } | undefined;
  private needsAdministrator = true;

  constructor(
    private readonly config: Config,
    private readonly instance: Instance,
    private readonly captcha: CaptchaVerifier,
    private readonly accounts: AccountRecords,
    private readonly errors: ErrorPages,
  ) {
    this.read();
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.checkAdministrator();
    if (this.config.web.pages) this.errors.useRenderer((error) => this.errorPage(error));
  }

  /** The start page leads to the console until the instance has an administrator. */
  async checkAdministrator(): Promise<void> {
    if (this.needsAdministrator) this.needsAdministrator = !(await this.accounts.hasAdministrator());
  }

  /** The HTML page, which is the same for all URLs. */
  page(): BuiltFile {
    if (!this.config.production) this.reloadIfChanged();
    const { productName: product } = this.instance.current.branding;
    const key = `${this.needsAdministrator} ${product}`;
    if (this.cachedPage?.key !== key)
      this.cachedPage = { key, page: compressFile(Buffer.from(this.renderTemplate(product)), HTML) };
    return this.cachedPage.page;
  }

  private errorPage(error: ShownError) {
    const html = this.renderTemplate(this.instance.current.branding.productName, error);
    return { html, headers: pageHeaders(this.config) };
  }

  headersOf(path: string): Readonly<Record<string, string>> {
    return pageHeaders(this.config, showsCaptcha(path) ? this.captcha.provider : undefined);
  }

  asset(name: string): BuiltFile | undefined {
    return this.files.get(name);
  }

  private read(): void {
    if (!FOLDER) throw new StartError('The pages are not built. Run npm run build');
    this.files = readFiles(`${FOLDER}assets`);
    this.template = readFileSync(`${FOLDER}index.html`, 'utf8');
    const { logo } = this.config.brand;
    if (logo?.file)
      this.files.set(logo.file.path.replace('/assets/', ''), compressFile(logo.file.bytes, logo.file.type));
    this.readAt = statSync(`${FOLDER}index.html`).mtimeMs;
    this.cachedPage = undefined;
  }

  /** During development a build replaces the pages of the running service. */
  private reloadIfChanged(): void {
    const { mtimeMs } = statSync(`${FOLDER}index.html`, { throwIfNoEntry: false }) ?? { mtimeMs: this.readAt };
    if (mtimeMs !== this.readAt) this.read();
  }

  private renderTemplate(product: string, error?: ShownError): string {
    const { brand, gatewayUrl, media, web, production, mailTransport, webauthnRpId, deletionGraceHours } = this.config;
    const { admin, personalTokens } = this.config;
    const known = {
      product,
      accent: brand.accent,
      logo: brand.logo?.url ?? null,
      support: brand.supportUrl ?? null,
      terms: brand.termsUrl ?? null,
      privacy: brand.privacyUrl ?? null,
      gateway: gatewayUrl,
      rpId: webauthnRpId,
      media: media.baseUrl,
      pages: web.pages,
      admin: web.admin,
      deletionHours: deletionGraceHours,
      tokenDays: personalTokens.isEnabled ? personalTokens.maxDays : 0,
      development: !production && mailTransport === 'inbox',
      needsAdministrator: this.needsAdministrator && web.admin && admin.networks.length === 0,
      ...(error && { error }),
    };
    const isMissing = error?.code === 'NOT_FOUND';
    return this.template
      .replace('%GATEHOUSE%', () => escapeHtml(JSON.stringify(known)))
      .replaceAll('%PRODUCT%', () => escapeHtml(product))
      .replace('%PAGE%', error && !isMissing ? FAILED : '')
      .replace('%NOSCRIPT%', isMissing ? MISSING : NEEDS_JAVASCRIPT);
  }
}
