import type { Call } from '../policy/call.js';
import { type RoutePlan, servesPages } from '../policy/plan.js';

/** What a browser shows of a path that nobody serves; nothing of the request is in it. */
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

/** Whether a browser asks for a page that does not exist: no route has its path, or one that serves pages. */
const wantsPage = ({ plan, req }: Call): boolean =>
  (plan === undefined || servesPages(plan)) &&
  /^(?:GET|HEAD)$/.test(req.method ?? '') &&
  /\btext\/html\b/i.test(req.headers.accept ?? '');

/** What a header may carry. Two slashes at the beginning would lead to another origin. */
const OWN_TARGET = /^\/(?![/\\])[\x21-\x7e]+$/;

type Find = (path: string) => RoutePlan | undefined;

/** The site of guides begins below this path: with the slash it is what every client means. */
const GUIDES = '/guides';

/** The URL without the slash at its end, if a browser finds a page there, or any client the guides. */
function withoutSlash(call: Call, find: Find): string | undefined {
  const [asked = ''] = call.target.split('?', 1);
  const path = asked.slice(0, -1);
  const plan = asked.endsWith('/') && OWN_TARGET.test(call.target) ? find(path) : undefined;
  const leads = plan && (path === GUIDES || (servesPages(plan) && wantsPage(call)));
  return leads ? path + call.target.slice(asked.length) : undefined;
}

/** Answers 404 in the way of a browser, or sends it to the page that it means. @param find what the caller may know */
export function answerBrowser(call: Call, find: Find): boolean {
  const elsewhere = withoutSlash(call, find);
  if (!elsewhere && !wantsPage(call)) return false;
  if (elsewhere) {
    call.res.statusCode = 302;
    call.header('Location', elsewhere);
  }
  call.answer(elsewhere ? '' : NOT_FOUND_PAGE, 'text/html; charset=utf-8');
  return true;
}
