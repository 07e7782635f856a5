import { Config } from '../../src/core/config/config.js';
import { LANGUAGES } from '../../src/core/text/languages.js';
import { featureRegistry } from '../../src/features.js';
import { mailBranding } from '../../src/platform/mail/templates/render.js';
import { renderSample, SAMPLES } from '../../src/service/mail-samples.js';
import { type Gatehouse, gatehouse, ownLinksIn } from '../support/index.js';

const ORIGIN = 'http://localhost:8080';
/** Kinds of email that contain an action link. */
const LED = ['email_verification', 'password_reset', 'ip_authorization', 'email_change_revert'];

describe('web.md 1: every link of ours in an email opens a page', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ env: { PUBLIC_ORIGIN: ORIGIN } });
  });
  afterAll(() => service.close());

  /** Requests the link like a browser, which does not send the fragment after `#`. */
  const open = async (link: string) => {
    const { pathname, search } = new URL(link);
    const { status, headers } = await service.anonymous.get(`${pathname}${search}`);
    return { link, status, type: headers.get('content-type')?.split(';')[0] };
  };

  const textOf = (kind: string, language: (typeof LANGUAGES)[number]): string => {
    const look = mailBranding(service.app.get(Config), { termsUrl: null, privacyUrl: null });
    return renderSample(featureRegistry(), kind, language, { product: 'Gatehouse', webAppUrl: ORIGIN, look }).text;
  };

  test.each(SAMPLES)('%s, in every language and in both its parts', async (kind) => {
    const parts: string[] = [];
    for (const language of LANGUAGES) {
      const { status, text: html } = await service.anonymous.get(`/dev/mails/${language}/${kind}`);
      parts.push(status === 200 ? html : '', textOf(kind, language));
    }
    const links = [...new Set(parts.flatMap((part) => ownLinksIn(part, ORIGIN)))];
    if (LED.includes(kind)) expect(links).toEqual([expect.stringMatching(/\/auth\/[a-z-]+#token=/)]);
    for (const link of links) expect(await open(link)).toEqual({ link, status: 200, type: 'text/html' });
  });
});
