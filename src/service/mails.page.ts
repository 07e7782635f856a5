import { Eta } from 'eta/core';
import { directionOf, LANGUAGE_NAMES, LANGUAGES, type Language } from '../core/text/languages.js';
import { devPage, STYLE, sourceOf } from './dev-page.js';
import type { ShownMessage } from './mail-samples.js';

const NO_BASE_OR_FORMS = "base-uri 'none'; form-action 'none'";
/** Allows the page's own style and the frames with messages. */
export const MAILS_CSP = `default-src 'none'; style-src ${sourceOf(STYLE)}; frame-src 'self'; ${NO_BASE_OR_FORMS}; frame-ancestors 'none'`;

/**
 * The policy of a single message. Like an email program, it allows styles and the logo, but no scripts and no origin.
 */
export const mailCsp = (logo: string | undefined): string =>
  [
    `default-src 'none'; style-src 'unsafe-inline'; img-src ${logo ? new URL(logo).origin : "'none'"}`,
    `${NO_BASE_OR_FORMS}; frame-ancestors 'self'; sandbox allow-popups`,
  ].join('; ');

const PAGE = `<header>
<h1><%= it.kind ?? 'All kinds of email' %></h1>

<div class="bar">

<% if (it.kind) { %><a href="/dev/mails">All kinds</a><% } %>

<a href="/dev/inbox">Development inbox</a>
</div>
</header>

<main>

<% if (it.kind) { %>

<% it.messages.forEach(({ language, name, direction, subject, text, hasHtml }) => { %>

<article class="card">
<details open>

<summary>

<b><%= name %> (<%= language %>)</b>

<% if (subject) { %>

<span lang="<%= language %>" dir="<%= direction %>"><%= subject %></span>

<% } %>
</summary>

<div class="parts<% if (hasHtml) { %> both<% } %>">

<% if (hasHtml) { %>

<iframe title="<%= name %>" sandbox="allow-popups" src="/dev/mails/<%= language %>/<%= it.kind %>"></iframe>

<% } %>

<pre lang="<%= language %>" dir="<%= direction %>" tabindex="0" role="group" aria-label="<%= name %>: text"><%= text %></pre>
</div>
</details>
</article>

<% }) %>

<% } else { %>

<ul class="kinds card">

<% it.kinds.forEach((kind) => { %>
<li><a class="kind" href="/dev/mails?kind=<%= kind %>"><%= kind %></a>

<% it.languages.forEach((language) => { %>
 <a href="/dev/mails?kind=<%= kind %>&amp;language=<%= language %>"><%= language %></a>

<% }) %>
</li>

<% }) %>
</ul>

<% } %>
</main>`;

const eta = new Eta({ autoEscape: true, autoTrim: false });
eta.loadTemplate('@mails', PAGE);

/** Renders the list of kinds and languages. */
export const mailsIndex = (kinds: readonly string[]): string =>
  devPage('Emails', eta.render('@mails', { kinds, languages: LANGUAGES }));

/** Renders one kind in several languages, as HTML and as text. */
export const mailsPage = (kind: string, languages: readonly Language[], show: (language: Language) => ShownMessage) =>
  devPage(
    'Emails',
    eta.render('@mails', {
      kind,
      messages: languages.map((language) => {
        const { subject, text, html } = show(language);
        const name = LANGUAGE_NAMES[language];
        return { language, name, direction: directionOf(language), subject, text, hasHtml: html !== undefined };
      }),
    }),
  );
