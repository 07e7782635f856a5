import type { Call } from '../policy/call.js';

/** What a browser shows of a path that nobody serves; nothing of the request is in it. */
export const NOT_FOUND_PAGE = `<!doctype html>
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

/** Whether a person's browser asks for a path that no route has. */
export const wantsPage = ({ plan, req }: Call): boolean =>
  plan === undefined && /^(?:GET|HEAD)$/.test(req.method ?? '') && /\btext\/html\b/i.test(req.headers.accept ?? '');
