import { hash } from 'node:crypto';
import { Eta } from 'eta/core';
import type { Inbox } from '../platform/mail/inbox.js';

/** The style of pages for developers. */
export const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
article { border-top: 1px solid #8886; padding: 1rem 0 }
h2 { font-size: 1.1rem; margin: 0 }
p { margin: 0; opacity: 0.75 }
iframe { width: 100%; height: 44rem; border: 1px solid #8886; border-radius: 8px; margin: 0.75rem 0 0 }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.75rem 0 0; font: inherit }
`;

export const ALLOW_STYLE = `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`;
/** Allows only the page's own style, so that no content of a message runs. */
export const INBOX_CSP = [
  `default-src 'none'; ${ALLOW_STYLE}`,
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Development inbox</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Development inbox</h1>
<p>Every kind of email in every language: <a href="/dev/mails">/dev/mails</a></p>
<% if (it.messages.length === 0) { %>
<p>No messages yet. As JSON: <a href="/dev/inbox.json">/dev/inbox.json</a></p>
<% } %>
<% it.messages.forEach((message) => { %>
<article>
<h2><%= message.subject ?? message.type %></h2>
<p><%= message.created_at %> to <%= message.to %> (<%= message.channel %>, <%= message.type %>)</p>
<pre><% message.parts.forEach(({ text, isLink }) => { %><% if (isLink) { %><a href="<%= text %>"><%= text %></a><% } else { %><%= text %><% } %><% }) %></pre>
</article>
<% }) %>
</body>
</html>
`;

const eta = new Eta({ autoEscape: true, autoTrim: false });
eta.loadTemplate('@inbox', PAGE);

const LINK = /(https?:\/\/[^\s<>"]+)/;

/** Renders the messages as a page with clickable links. */
export function inboxPage(messages: Awaited<ReturnType<Inbox['list']>>): string {
  const shown = messages.map((message) => ({
    ...message,
    parts: message.text.split(LINK).map((text, index) => ({ text, isLink: index % 2 === 1 })),
  }));
  return eta.render('@inbox', { messages: shown });
}
