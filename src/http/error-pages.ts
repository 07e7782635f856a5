import { Injectable } from '@nestjs/common';
import type { ApiError } from '../core/errors.js';
import type { Call } from '../policy/call.js';
import { type RoutePlan, servesPages } from '../policy/plan.js';
import { AdminNetworks } from './admin-networks.js';

/** The page for browsers on unknown paths, if there are no built-in pages. It contains nothing of the request. */
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

/** An error that a page shows. */
export interface ShownError {
  readonly code: string;
  /** The request ID, if support needs it. */
  readonly requestId?: string;
}

/** The page of an error, with its headers. */
export interface ErrorPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

const isByBrowser = ({ req }: Call): boolean =>
  /^(?:GET|HEAD)$/.test(req.method ?? '') && /\btext\/html\b/i.test(req.headers.accept ?? '');

/** Characters that a header may contain. Two leading slashes would redirect to another origin. */
const SAFE_REDIRECT_TARGET = /^\/(?![/\\])[\x21-\x7e]+$/;

type Find = (path: string) => RoutePlan | undefined;

/** Path of the guides. Every client that adds a trailing slash means the guides. */
const GUIDES = '/guides';

/** The URL without its trailing slash, if a browser finds a page there or any client finds the guides. */
function redirectWithoutSlash(call: Call, find: Find): string | undefined {
  const [requested = ''] = call.target.split('?', 1);
  const path = requested.slice(0, -1);
  const plan = requested.endsWith('/') && SAFE_REDIRECT_TARGET.test(call.target) ? find(path) : undefined;
  const leads = plan && (path === GUIDES || (servesPages(plan) && isByBrowser(call)));
  return leads ? path + call.target.slice(requested.length) : undefined;
}

/** Sends errors to browsers as pages. */
@Injectable()
export class ErrorPages {
  private render: ((error: ShownError) => ErrorPage) | undefined;

  constructor(private readonly adminNetworks: AdminNetworks) {}

  /** Replaces the plain page. */
  useRenderer(render: (error: ShownError) => ErrorPage): void {
    this.render = render;
  }

  /**
   * Sends the page of an error to a browser, or redirects it to the page without the trailing slash. Other errors than
   * NOT_FOUND are pages only on routes that serve pages.
   */
  respond(call: Call, { code }: ApiError, status: number): boolean {
    const find = (path: string) => this.adminNetworks.findVisible(call, path);
    const redirect = code === 'NOT_FOUND' ? redirectWithoutSlash(call, find) : undefined;
    if (redirect) {
      call.res.statusCode = 302;
      call.header('Location', redirect);
      call.sendText('', 'text/html; charset=utf-8');
      return true;
    }
    if (!isByBrowser(call) || !this.isPageError(call, code, find)) return false;
    const page = this.render?.(status >= 500 ? { code, requestId: call.id } : { code });
    if (page) {
      call.flushHeaders();
      for (const [name, value] of Object.entries(page.headers)) call.res.setHeader(name, value);
      call.res.setHeader('Cache-Control', 'no-store');
    }
    call.sendText(page?.html ?? NOT_FOUND_PAGE, 'text/html; charset=utf-8');
    return true;
  }

  private isPageError({ plan, target }: Call, code: string, find: Find): boolean {
    const isUnknown = code === 'NOT_FOUND';
    const known = plan ?? (isUnknown ? undefined : find(target.split('?', 1)[0] ?? ''));
    return known === undefined ? isUnknown : servesPages(known) && (isUnknown || this.render !== undefined);
  }
}
