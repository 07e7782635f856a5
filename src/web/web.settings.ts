import { settings } from '../core/config/declared.js';
import { consentPageUrl } from '../oauth/oauth.settings.js';
import { InstanceSettings } from '../platform/settings/instance.settings.js';

const isBuiltInConsentPage = (url: string, publicOrigin: string): boolean =>
  URL.canParse(url) && new URL(url.replace(/\/$/, '')).href === consentPageUrl(publicOrigin);

/**
 * Decides which built-in pages are served (web.md). With an external front end, only the consent page remains, because
 * the service itself sends users to it. It is also disabled if another consent page is set.
 */
export class WebSettings extends settings('Pages', (read) => {
  const { publicOrigin, webAppUrl } = read.of(InstanceSettings);
  const wanted = read.onOff(
    'WEB_PAGES',
    'Serve the built-in pages. If WEB_APP_URL differs from PUBLIC_ORIGIN, only the consent page, unless OAUTH_CONSENT_URL is set',
    true,
  );
  const admin = read.onOff('WEB_ADMIN', 'Serve the console for administrators', true);
  const { origin, pathname, search, hash } = new URL(webAppUrl);
  const pages = wanted && `${origin}${pathname.replace(/\/$/, '')}${search}${hash}` === publicOrigin;
  const named = read.peek('OAUTH_CONSENT_URL');
  const namesAnother = named !== undefined && !isBuiltInConsentPage(named, publicOrigin);
  const consent = wanted && !namesAnother;
  return { web: { pages, admin: pages && admin, consent, lacksConsent: !consent && !namesAnother } };
}) {}
