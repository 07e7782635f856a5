import { Eta } from 'eta/core';
import type { Inbox } from '../platform/mail/inbox.js';
import { devPage, sourceOf } from './dev-page.js';

/** Adds new messages at the top without a reload, and empties the inbox. */
const SCRIPT = `
const list = document.getElementById('messages');
const ids = (from) => [...from.querySelectorAll('article')].map(({ id }) => id);
async function refresh() {
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok) return;
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('messages');
  const [known, current] = [new Set(ids(list)), ids(next)];
  if (current.length === 0 || known.size === 0) {
    if (known.size !== current.length) list.replaceChildren(...next.childNodes);
    return;
  }
  const added = [...next.querySelectorAll('article')].filter(({ id }) => !known.has(id));
  list.prepend(...added);
}
setInterval(() => document.visibilityState === 'visible' && refresh(), 2000);
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && refresh());
document.getElementById('clear').addEventListener('click', async () => {
  await fetch('/dev/inbox', { method: 'DELETE' });
  await refresh();
});
`;

/**
 * Allows only the script of the page. A message is in a frame that runs no script, with the styles and the logo of
 * emails.
 */
export const inboxCsp = (logo: string | undefined): string =>
  [
    `default-src 'none'; script-src ${sourceOf(SCRIPT)}; style-src 'unsafe-inline'; connect-src 'self'`,
    `img-src ${logo ? new URL(logo).origin : "'none'"}; frame-src 'self'`,
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  ].join('; ');

const PAGE = `<header>
<h1>Development inbox</h1>

<div class="bar">

<a href="/dev/mails">All kinds of email</a>

<a href="/dev/inbox.json<% if (it.to) { %>?to=<%= encodeURIComponent(it.to) %><% } %>">JSON</a>

<button type="button" id="clear">Empty the inbox</button>
</div>
</header>

<main>

<form action="/dev/inbox">

<label>Recipient <input name="to" value="<%= it.to ?? '' %>" autocomplete="off" spellcheck="false" placeholder="ada@example.com" required></label>

<button>Filter</button>

<% if (it.to) { %><a class="button" href="/dev/inbox">Show all</a><% } %>
</form>

<div id="messages">

<% if (it.messages.length === 0) { %>
<p class="card empty quiet">No messages yet<% if (it.to) { %> to <%= it.to %><% } %>. New messages appear here immediately.</p>

<% } %>

<% it.messages.forEach((message, index) => { %>

<article class="card" id="m<%= message.id %>">
<details<% if (index === 0) { %> open<% } %>>

<summary>

<span><b><%= message.subject ?? message.type %></b><br><span class="quiet">to <%= message.to %></span></span>

<span class="quiet"><%= message.channel %> · <%= message.type %><br><time datetime="<%= message.created_at %>"><%= message.at %></time></span>
</summary>

<div class="parts<% if (message.html) { %> both<% } %>">

<% if (message.html) { %>

<section>

<h2>HTML</h2>

<iframe title="HTML of the message" loading="lazy" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="<%= message.html %>"></iframe>
</section>

<% } %>

<section>

<h2>Text</h2>

<pre tabindex="0" role="group" aria-label="Text of the message"><% message.parts.forEach(({ text, isLink }) => { %><% if (isLink) { %><a href="<%= text %>"><%= text %></a><% } else { %><%= text %><% } %><% }) %></pre>
</section>
</div>
</details>
</article>

<% }) %>
</div>
</main>`;

const eta = new Eta({ autoEscape: true, autoTrim: false });
eta.loadTemplate('@inbox', PAGE);

const LINK = /(https?:\/\/[^\s<>"]+)/;

/** Links of a message open in a new tab instead of its frame. */
const withNewTabs = (html: string | null | undefined) => html?.replace('<head>', '<head><base target="_blank">');

/** Renders the messages as a page with clickable links. @param to the recipient that the page is filtered by */
export function inboxPage(messages: Awaited<ReturnType<Inbox['list']>>, to: string | undefined): string {
  const shown = messages.map((message) => ({
    ...message,
    html: withNewTabs(message.html),
    at: `${message.created_at.slice(0, 19).replace('T', ' ')} UTC`,
    parts: message.text.split(LINK).map((text, index) => ({ text, isLink: index % 2 === 1 })),
  }));
  return devPage('Development inbox', eta.render('@inbox', { messages: shown, to }), SCRIPT);
}
