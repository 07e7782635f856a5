import type { SettingsReader } from './reader.js';
import type { ServiceSettings } from './service.settings.js';

/** The consent page, where it is ours (oauth.md 5.2). */
export const consentPageOf = (publicOrigin: string): string => `${publicOrigin}/oauth2/authorize`;

const isOwnPage = (url: string, publicOrigin: string): boolean =>
  URL.canParse(url) && new URL(url.replace(/\/$/, '')).href === consentPageOf(publicOrigin);

/**
 * Which of our own pages are there (web.md). Whoever names a front end of their own gets none of them in its way: the
 * consent page alone stays, as long as no other is named, because applications are sent to it by the service itself.
 */
export function webSettings(read: SettingsReader, { publicOrigin, webAppUrl }: ServiceSettings) {
  read.section('Pages');
  const wanted = read.on(
    'WEB_PAGES',
    'Pages for people; where WEB_APP_URL is not PUBLIC_ORIGIN, the consent page alone, unless OAUTH_CONSENT_URL names another',
    true,
  );
  const admin = read.on('WEB_ADMIN', "The administrators' part of them", true);
  const { origin, pathname, search, hash } = new URL(webAppUrl);
  const pages = wanted && `${origin}${pathname.replace(/\/$/, '')}${search}${hash}` === publicOrigin;
  const named = read.peek('OAUTH_CONSENT_URL');
  const namesAnother = named !== undefined && !isOwnPage(named, publicOrigin);
  const consent = wanted && !namesAnother;
  return { web: { pages, admin: pages && admin, consent, lacksConsent: !consent && !namesAnother } };
}
