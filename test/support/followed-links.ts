import type { INestApplication } from '@nestjs/common';
import { Config } from '../../src/core/config/config.js';
import { Routes } from '../../src/policy/routes.js';
import { isPage } from '../../src/web/paths.js';
import type { TestResponse } from './exchange.js';
import { ownLinksIn } from './own-links.js';

/** Paths for programs, which are not pages. `/oauth2_callback` belongs to the Admin application (admin.md 6.1). */
const FOR_PROGRAMS =
  /^\/(?:(?:v1|media|gateway|health|metrics|assets|\.well-known)(?:\/|$)|(?:openapi|asyncapi|dev\/inbox)\.json$|oauth2_callback$)/;

interface Watched {
  readonly origin: string;
  readonly links: Set<string>;
}

const watched = new Map<string, Watched>();

/** Records the service's own links in all later responses, both in bodies and in headers. */
export function watchLinks(url: string, app: INestApplication): void {
  const { web, publicOrigin } = app.get(Config);
  if (web.pages) watched.set(url, { origin: publicOrigin, links: new Set() });
}

export function recordLinks(url: string, { text, headers }: TestResponse): void {
  const service = watched.get(url);
  if (!service) return;
  for (const part of [headers.get('location') ?? '', text]) {
    if (part.includes(service.origin)) for (const link of ownLinksIn(part, service.origin)) service.links.add(link);
  }
}

/**
 * Asserts that every recorded link leads to a page. The tests of web.md 1 open each page.
 * @throws Error with the links that do not
 */
export function assertPagesExist(url: string, app: INestApplication): void {
  const { links } = watched.get(url) ?? { links: [] };
  watched.delete(url);
  const routes = app.get(Routes);
  const broken = [...links].filter((link) => {
    const { pathname } = new URL(link);
    if (FOR_PROGRAMS.test(pathname) || isPage(pathname)) return false;
    const responses = routes.find('GET', pathname)?.responses ?? [];
    return !responses.some(({ type }) => [type].flat().includes('text/html'));
  });
  if (broken.length > 0)
    throw new Error(
      `links to the service lead to no page. Serve the page, or set WEB_APP_URL to your front end:\n${broken.join('\n')}`,
    );
}
