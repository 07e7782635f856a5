import { once } from 'node:events';
import { type IncomingMessage, request as sendPlain } from 'node:http';
import { request as sendSecure } from 'node:https';
import { text as readText } from 'node:stream/consumers';

/** A browser that keeps cookies and follows no redirect by itself. `ca` is a certificate that it trusts. */
export function cookieBrowser(ca?: string) {
  const jar = new Map<string, string>();
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const open = async (url: string, form?: Record<string, string>) => {
    const cookie = cookies();
    const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' };
    // `fetch` sends `sec-fetch-mode: cors`, which Apache rejects with 401.
    const type = form && { 'content-type': 'application/x-www-form-urlencoded' };
    const options = { method: form ? 'POST' : 'GET', headers: { cookie, ...navigation, ...type } };
    const request = url.startsWith('https:') ? sendSecure(url, { ...options, ca }) : sendPlain(url, options);
    request.end(form && new URLSearchParams(form).toString());
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const text = await readText(response);
    for (const line of response.headers['set-cookie'] ?? []) {
      const [pair = ''] = line.split(';');
      const [name = '', ...value] = pair.split('=');
      if (/expires=Thu, 01.Jan.1970/i.test(line)) jar.delete(name);
      else jar.set(name, value.join('='));
    }
    const { statusCode: status, headers } = response;
    const { location = '' } = headers;
    return { status, headers, location: location && new URL(location, url).href, text };
  };
  return Object.assign(open, { cookies });
}

export type CookieBrowser = ReturnType<typeof cookieBrowser>;
