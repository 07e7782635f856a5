import type { Call } from '../policy/call.js';
import { type RoutePlan, servesPages } from '../policy/plan.js';

/** The page for browsers on unknown paths. It contains nothing of the request. */
const NOT_FOUND_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not found</title>
</head>
<body>
<p>There is nothing at this address.</p>
</body>
</html>
`;

/** Whether a browser requests a page that does not exist: no route matches, or the route serves pages. */
const wantsPage = ({ plan, req }: Call): boolean =>
  (plan === undefined || servesPages(plan)) &&
  /^(?:GET|HEAD)$/.test(req.method ?? '') &&
  /\btext\/html\b/i.test(req.headers.accept ?? '');

/** Characters that a header may contain. Two leading slashes would redirect to another origin. */
const SAFE_REDIRECT_TARGET = /^\/(?![/\\])[\x21-\x7e]+$/;

type Find = (path: string) => RoutePlan | undefined;

/** Path of the guides. Every client that adds a trailing slash means the guides. */
const GUIDES = '/guides';

/** The URL without its trailing slash, if a browser finds a page there or any client finds the guides. */
function redirectWithoutSlash(call: Call, find: Find): string | undefined {
  const [asked = ''] = call.target.split('?', 1);
  const path = asked.slice(0, -1);
  const plan = asked.endsWith('/') && SAFE_REDIRECT_TARGET.test(call.target) ? find(path) : undefined;
  const leads = plan && (path === GUIDES || (servesPages(plan) && wantsPage(call)));
  return leads ? path + call.target.slice(asked.length) : undefined;
}

/**
 * Sends a 404 page to a browser, or redirects it to the page without the trailing slash.
 * @param find finds the routes that the caller may see
 */
export function respondToBrowser(call: Call, find: Find): boolean {
  const elsewhere = redirectWithoutSlash(call, find);
  if (!elsewhere && !wantsPage(call)) return false;
  if (elsewhere) {
    call.res.statusCode = 302;
    call.header('Location', elsewhere);
  }
  call.sendText(elsewhere ? '' : NOT_FOUND_PAGE, 'text/html; charset=utf-8');
  return true;
}
