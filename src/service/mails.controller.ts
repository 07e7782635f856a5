import { Controller, Get, Param, Query } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { ApiError } from '../core/errors.js';
import { LANGUAGES, type Language } from '../core/text/languages.js';
import { field, OneOf } from '../http/input.js';
import { Instance } from '../platform/instance/instance.js';
import { mailBranding } from '../platform/mail/templates/render.js';
import { ApiResponses } from '../policy/answers.js';
import type { Call } from '../policy/call.js';
import { CredentialFree, CurrentCall } from '../policy/decorators.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import { allSamples, renderSample, SAMPLES } from './mail-samples.js';
import { MAILS_CSP, mailCsp, mailsIndex, mailsPage } from './mails.page.js';

/** A kind of message. Features can add kinds. */
const Kind = (options: { optional?: boolean } = {}): PropertyDecorator =>
  field({ ...options, bound: 64, tooLong: 'INVALID_FORMAT', description: { enum: [...SAMPLES] } }, (kind, features) =>
    typeof kind === 'string' && features && allSamples(features).includes(kind) ? undefined : 'INVALID_FORMAT',
  );

class MailsQuery {
  @Kind({ optional: true }) kind?: string;
  @OneOf(LANGUAGES, { optional: true }) language?: Language;
}

class MailPath {
  @OneOf(LANGUAGES) language: Language;
  @Kind() kind: string;
}

/** Shows samples of all messages, for writers and translators. */
@Controller('dev/mails')
export class MailsController {
  constructor(
    private readonly config: Config,
    private readonly instance: Instance,
    private readonly features: FeatureRegistry,
  ) {}

  /** Show every kind of message in every language, with sample data. */
  @Get()
  @CredentialFree()
  @ApiResponses({ type: 'text/html' })
  page(@Query() { kind, language }: MailsQuery, @CurrentCall() call: Call) {
    const page =
      kind === undefined
        ? mailsIndex(allSamples(this.features))
        : mailsPage(kind, language ? [language] : LANGUAGES, (spoken) => this.sample(kind, spoken));
    this.setPageHeaders(call, MAILS_CSP);
    return page;
  }

  /** Show one message as HTML, as an email program receives it. */
  @Get(':language/:kind')
  @CredentialFree()
  @ApiResponses({ type: 'text/html' })
  message(@Param() { language, kind }: MailPath, @CurrentCall() call: Call) {
    const { html } = this.sample(kind, language);
    if (html === undefined) throw new ApiError('NOT_FOUND');
    this.setPageHeaders(call, mailCsp(this.look.logo));
    return html;
  }

  private get look() {
    return mailBranding(this.config, this.instance.current.legal);
  }

  private sample(kind: string, language: Language) {
    const { productName: product } = this.instance.current.branding;
    return renderSample(this.features, kind, language, { product, webAppUrl: this.config.webAppUrl, look: this.look });
  }

  private setPageHeaders({ res }: Call, policy: string): void {
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.setHeader('Content-Security-Policy', policy);
  }
}
