import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { StartError } from '../core/config/start-error.js';
import { type BuiltFile, compressFile, readFiles } from '../http/built-files.js';
import { Instance } from '../platform/instance/instance.js';
import { CaptchaVerifier } from '../platform/outbound/captcha.js';
import { pageHeaders } from './content-policy.js';
import { asksForCaptcha } from './paths.js';

/** Next to the compiled code, or the build output folder when running from the sources. */
const FOLDER = ['../../web/', '../../dist/web/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(`${path}assets`));
const HTML = 'text/html; charset=utf-8';

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The built pages, with the name and colors of the platform. No data of a request is inserted. */
@Injectable()
export class Pages {
  private files: Map<string, BuiltFile>;
  private template: string;
  private readAt = 0;
  private cachedPage: { readonly product: string; readonly page: BuiltFile } | undefined;

  constructor(
    private readonly config: Config,
    private readonly instance: Instance,
    private readonly captcha: CaptchaVerifier,
  ) {
    this.read();
  }

  /** The HTML page, which is the same for all URLs. */
  page(): BuiltFile {
    if (!this.config.production) this.reloadIfChanged();
    const { productName: product } = this.instance.current.branding;
    if (this.cachedPage?.product !== product)
      this.cachedPage = { product, page: compressFile(Buffer.from(this.renderTemplate(product)), HTML) };
    return this.cachedPage.page;
  }

  headersOf(path: string): Readonly<Record<string, string>> {
    return pageHeaders(this.config, asksForCaptcha(path) ? this.captcha.provider : undefined);
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

  private renderTemplate(product: string): string {
    const { brand, gatewayUrl, media, web, production, mailTransport, webauthnRpId, deletionGraceHours } = this.config;
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
      development: !production && mailTransport === 'inbox',
    };
    return this.template
      .replace('%GATEHOUSE%', () => escapeHtml(JSON.stringify(known)))
      .replace('%PRODUCT%', () => escapeHtml(product));
  }
}
