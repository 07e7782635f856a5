import type { IncomingMessage } from 'node:http';

const AUTHORIZATION = 'authorization';
const SUDO = 'x-service-sudo-mode-jwt';

/** All values of a header. Node keeps only the first one of several `Authorization` headers. */
function headerOf(raw: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    const given = raw[index] as string;
    if (given.length !== name.length || given.toLowerCase() !== name) continue;
    found = found === undefined ? raw[index + 1] : `${found}, ${raw[index + 1]}`;
  }
  return found;
}

/** The credentials of a request of Node's HTTP server. */
export function credentialsOf({ rawHeaders }: IncomingMessage) {
  return { authorization: headerOf(rawHeaders, AUTHORIZATION), sudo: headerOf(rawHeaders, SUDO) };
}

/** The credentials of a request of the Fetch API. */
export const fetchCredentialsOf = ({ headers }: { readonly headers: Headers }) => ({
  authorization: headers.get(AUTHORIZATION) ?? undefined,
  sudo: headers.get(SUDO) ?? undefined,
});

/** The IP address of a connection. IPv4 addresses are written without the prefix of IPv6. */
export function addressOf({ remoteAddress }: { readonly remoteAddress?: string | undefined }): string | undefined {
  const isMapped = remoteAddress?.startsWith('::ffff:') && remoteAddress.includes('.');
  return isMapped ? remoteAddress?.slice('::ffff:'.length) : remoteAddress;
}
