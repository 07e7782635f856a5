/**
 * Returns a path of this origin for the redirect after sign-in, otherwise the account page.
 * Checks the normalized path, which is what the browser opens: `/.//host` becomes `//host`, which is another origin.
 */
export function safePath(wanted: string | null | undefined): string {
  if (!wanted?.startsWith('/') || !URL.canParse(wanted, location.origin)) return '/account';
  const { origin, pathname, search, hash } = new URL(wanted, location.origin);
  return origin === location.origin && !pathname.startsWith('//') ? pathname + search + hash : '/account';
}

/** The page to open after sign-in. */
export const destination = (): string => safePath(new URLSearchParams(location.search).get('return_to'));

/** Sign-in pages, which are never a redirect target. */
const SIGN_IN_PAGES: ReadonlySet<string> = new Set(['/login', '/register', '/forgot', '/auth/reset']);

/** The page after a sign-in here: the destination for sign-in pages, otherwise the current page. */
export const pageAfterSignIn = (): string =>
  SIGN_IN_PAGES.has(location.pathname) ? destination() : location.pathname + location.search;

/** The URL of another sign-in page with the same destination. */
export function withDestination(path: string): string {
  const given = new URLSearchParams(location.search).get('return_to');
  const wanted = given ?? (SIGN_IN_PAGES.has(location.pathname) ? null : pageAfterSignIn());
  return wanted ? `${path}?${new URLSearchParams({ return_to: wanted })}` : path;
}

/** The sign-in page, with a redirect back to this page. */
export const signInPath = (): string =>
  `/login?${new URLSearchParams({ return_to: location.pathname + location.search })}`;

/**
 * Replaces the page, without an entry in the browser history. Never resolves, so that the button stays busy until the
 * page is gone.
 */
export function replacePage(path: string): Promise<never> {
  location.replace(path);
  return new Promise(() => {});
}
