/**
 * A path of this origin that a user may be sent to after signing in; anything else leads to the account. The check is on
 * the normalized path, which is what the browser opens: `/.//host` becomes `//host`, which is another origin.
 */
export function safePath(wanted: string | null | undefined): string {
  if (!wanted?.startsWith('/') || !URL.canParse(wanted, location.origin)) return '/account';
  const { origin, pathname, search, hash } = new URL(wanted, location.origin);
  return origin === location.origin && !pathname.startsWith('//') ? pathname + search + hash : '/account';
}

/** The page to go on to once the person is signed in. */
export const destination = (): string => safePath(new URLSearchParams(location.search).get('return_to'));

/** Pages on the way to being signed in: nobody comes back to one. */
const ENTRANCES: ReadonlySet<string> = new Set(['/login', '/register', '/forgot', '/auth/reset']);

/** Where somebody goes on who signs in on this page: from an entrance to its destination, else here. */
export const onward = (): string =>
  ENTRANCES.has(location.pathname) ? destination() : location.pathname + location.search;

/** The address of another page that leads on to the same place. */
export function withDestination(path: string): string {
  const given = new URLSearchParams(location.search).get('return_to');
  const wanted = given ?? (ENTRANCES.has(location.pathname) ? null : onward());
  return wanted ? `${path}?${new URLSearchParams({ return_to: wanted })}` : path;
}

/** Where somebody signs in who then comes back here. */
export const signInFirst = (): string =>
  `/login?${new URLSearchParams({ return_to: location.pathname + location.search })}`;

/**
 * Leaves for another page; the one that is left is not returned to by the button of the browser. It never resolves: what
 * led here stays busy until the page is gone.
 */
export function leaveFor(path: string): Promise<never> {
  location.replace(path);
  return new Promise(() => {});
}
