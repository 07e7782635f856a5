import { t } from '../../core/language.js';
import { CodeBlock } from '../../kit/shown.js';
import type { Application } from './application.js';

/** A string of JavaScript. A redirect URI may contain an apostrophe. */
const quote = (text: string): string => JSON.stringify(text);

const EXAMPLE_URI = 'https://app.example/callback';

/** Sends the user to the consent page, with PKCE (RFC 7636). */
const authorize = (origin: string, id: string, uri: string): string => `const encode = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

const verifier = encode(crypto.getRandomValues(new Uint8Array(32)));
const state = encode(crypto.getRandomValues(new Uint8Array(16)));
const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
sessionStorage.setItem("oauth", JSON.stringify({ verifier, state }));

location.href = ${quote(`${origin}/v1/oauth2/authorize?`)} + new URLSearchParams({
  response_type: "code",
  client_id: ${quote(id)},
  redirect_uri: ${quote(uri)},
  scope: "identify",
  state,
  code_challenge: encode(digest),
  code_challenge_method: "S256",
});`;

/** Exchanges the code of the redirect for tokens. */
const exchange = (
  origin: string,
  id: string,
  uri: string,
  isPublic: boolean,
): string => `const query = new URLSearchParams(location.search);
const { verifier, state } = JSON.parse(sessionStorage.getItem("oauth"));
if (query.get("state") !== state) throw new Error("The state differs");

${isPublic ? '' : `// On your server, which has the client secret and gets code and verifier:\n`}const response = await fetch(${quote(`${origin}/v1/oauth2/token`)}, {
  method: "POST",
  body: new URLSearchParams({
    grant_type: "authorization_code",
    client_id: ${quote(id)},${isPublic ? '' : `\n    client_secret: process.env.CLIENT_SECRET,`}
    redirect_uri: ${quote(uri)},
    code: query.get("code"),
    code_verifier: verifier,
  }),
});
const { access_token } = await response.json();`;

/** The code for a sign-in with this application. */
export function QuickStart({ application }: { readonly application: Application }) {
  const { id, redirect_uris: uris, client_type: kind } = application;
  const uri = uris[0] ?? EXAMPLE_URI;
  return (
    <details class="section">
      <summary>
        <h2>{t('applications.start')}</h2>
      </summary>
      <div class="stack folded">
        <p class="quiet">{t(uris.length > 0 ? 'applications.startWhat' : 'applications.startNeedsUri', { uri })}</p>
        <CodeBlock label={t('applications.startAuthorize')} code={authorize(location.origin, id, uri)} />
        <CodeBlock
          label={t('applications.startExchange')}
          code={exchange(location.origin, id, uri, kind === 'public')}
        />
      </div>
    </details>
  );
}
