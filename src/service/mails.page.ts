import { Eta } from 'eta/core';
import { directionOf, LANGUAGE_NAMES, LANGUAGES, type Language } from '../core/text/languages.js';
import { ALLOW_STYLE, STYLE } from './inbox.page.js';
import type { ShownMessage } from './mail-samples.js';

const NO_BASE_OR_FORMS = "base-uri 'none'; form-action 'none'";
/** Allows the page's own style and the frames with messages. */
export const MAILS_CSP = `default-src 'none'; ${ALLOW_STYLE}; frame-src 'self'; ${NO_BASE_OR_FORMS}; frame-ancestors 'none'`;

/**
 * The policy of a single message. Like an email program, it allows styles and the logo, but no scripts and no origin.
 */
export const mailCsp = (logo: string | undefined): string =>
  [
    `default-src 'none'; style-src 'unsafe-inline'; img-src ${logo ? new URL(logo).origin : "'none'"}`,
    `${NO_BASE_OR_FORMS}; frame-ancestors 'self'; sandbox allow-popups`,
  ].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mails</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Mails</h1>
<% if (it.kind) { %>
<p><a href="/dev/mails">All kinds</a></p>
<h2><%= it.kind %></h2>
<% it.messages.forEach(({ language, name, direction, subject, text, hasHtml }) => { %>
<article>
<h2><%= name %> (<%= language %>)</h2>
<% if (subject) { %>
<p lang="<%= language %>" dir="<%= direction %>"><%= subject %></p>
<% } %>
<% if (hasHtml) { %>
<iframe title="<%= name %>" sandbox="allow-popups" src="/dev/mails/<%= language %>/<%= it.kind %>"></iframe>
<% } %>
<pre lang="<%= language %>" dir="<%= direction %>"><%= text %></pre>
</article>
<% }) %>
<% } else { %>
<ul>
<% it.kinds.forEach((kind) => { %>
<li><a href="/dev/mails?kind=<%= kind %>"><%= kind %></a>:
<% it.languages.forEach((language) => { %>
 <a href="/dev/mails?kind=<%= kind %>&amp;language=<%= language %>"><%= language %></a>
<% }) %>
</li>
<% }) %>
</ul>
<% } %>
</body>
</html>
`;

const eta = new Eta({ autoEscape: true, autoTrim: false });
eta.loadTemplate('@mails', PAGE);

/** Renders the list of kinds and languages. */
export const mailsIndex = (kinds: readonly string[]): string => eta.render('@mails', { kinds, languages: LANGUAGES });

/** Renders one kind in several languages, as HTML and as text. */
export const mailsPage = (kind: string, languages: readonly Language[], show: (language: Language) => ShownMessage) =>
  eta.render('@mails', {
    kind,
    messages: languages.map((language) => {
      const { subject, text, html } = show(language);
      const name = LANGUAGE_NAMES[language];
      return { language, name, direction: directionOf(language), subject, text, hasHtml: html !== undefined };
    }),
  });
