/** Generates the pages of the reference as Markdown, from the data of `facts.mjs`. */

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
const code = (text) => `\`${String(text).replaceAll('|', '\\|')}\``;
const codes = (list) => list.map(code).join(', ');
const table = (heads, rows) =>
  [
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
const page = (title, about, ...parts) => `# ${title}\n\n${about}\n\n${parts.join('\n\n')}\n`;

/** Operations of the OpenAPI document, by method and path. */
const operationsOf = (api) =>
  new Map(
    Object.entries(api.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );

function routesPage({ routes, api }) {
  const operations = operationsOf(api);
  const groups = new Map();
  for (const route of routes) {
    const operation = operations.get(`${route.method} ${route.path}`);
    const tag = operation?.tags?.[0] ?? 'service';
    groups.set(tag, [...(groups.get(tag) ?? []), { ...route, summary: operation?.summary ?? '' }]);
  }
  const parts = [...groups].sort().map(([tag, list]) =>
    [
      `## ${tag}`,
      table(
        ['Route', 'Description', 'Policy'],
        list.map(({ method, path, summary, written }) => [code(`${method} ${path}`), cell(summary), code(written)]),
      ),
    ].join('\n\n'),
  );
  return page(
    'Routes',
    'Every route of the default configuration with its policy. `/docs` and `/openapi.json` of a running service describe the ' +
      'parameters, bodies, responses and errors of each route.',
    ...parts,
  );
}

function errorsPage({ errors, fields }) {
  return page(
    'Errors',
    'Every `code` that a response can contain, with its status and message. [Errors](../clients/errors.md) explains how to ' +
      'handle them.',
    table(
      ['Code', 'Status', 'Message'],
      errors.map(([name, status, message]) => [code(name), status, cell(message)]),
    ),
    '## Fields',
    'Codes in `errors` of an `INVALID_FORM_BODY` response.',
    table(
      ['Code', 'Message'],
      fields.map(([name, message]) => [code(name), cell(message)]),
    ),
  );
}

function limitsPage({ buckets, routes }) {
  const users = (name) => routes.filter(({ policy }) => policy.bucket?.name === name);
  return page(
    'Limits',
    'Every rate-limit bucket with its default limit and the routes that it limits. `RATE_LIMIT_OVERRIDES` changes the limits. ' +
      '[Rate limits](../clients/rate-limits.md) explains how they work.',
    table(
      ['Bucket', 'Requests', 'Per', 'Routes'],
      buckets.map(([name, limit, seconds]) => [
        code(name),
        limit,
        `${seconds} s`,
        codes(users(name).map(({ method, path }) => `${method} ${path}`)),
      ]),
    ),
  );
}

function configurationPage({ settings, settingsTable }) {
  const sections = [...new Set(settings.map(({ section }) => section))];
  return page(
    'Configuration',
    'Every setting. The service reads settings from environment variables or a `.env` file, and validates them during startup. ' +
      'Separate the items of a list with commas. An empty value counts as unset.',
    ...sections.map((name) => `## ${name}\n\n${settingsTable(settings.filter(({ section }) => section === name))}`),
  );
}

function aclsPage({ acls, routes }) {
  const users = (acl) => routes.filter(({ policy }) => policy.acl?.acls.includes(acl));
  return page(
    'ACLs',
    'Permissions of administrators. `*` contains all of them. Every request to the Admin API needs `admin:authenticate`.',
    table(
      ['ACL', 'Required by'],
      acls.map((acl) => [code(acl), codes(users(acl).map(({ method, path }) => `${method} ${path}`))]),
    ),
  );
}

function scopesPage({ scopes, routes }) {
  const users = (scope) => routes.filter(({ policy }) => policy.scope === scope);
  return page(
    'Scopes',
    'Permissions that an application can request. A route without a scope rejects every access token.',
    table(
      ['Scope', 'Required by'],
      scopes.map((scope) => [code(scope), codes(users(scope).map(({ method, path }) => `${method} ${path}`))]),
    ),
  );
}

function eventsPage({ gateway }) {
  const events = Object.entries(gateway.components.messages).filter(([name]) => name.startsWith('EVENT_'));
  const schemaOf = ({ payload }) => payload.properties.d?.$ref?.split('/').at(-1);
  return page(
    'Events',
    'Events that the gateway sends, and the codes with which it closes connections. `/asyncapi.json` contains the schema of ' +
      'every payload. [Gateway](../clients/gateway.md) explains the protocol.',
    table(
      ['Event', 'Meaning', 'Payload'],
      events.map(([, message]) => [
        code(message.name),
        cell(message.summary ?? ''),
        schemaOf(message) ? code(schemaOf(message)) : '',
      ]),
    ),
    '## Close codes',
    table(
      ['Code', 'Reason'],
      gateway['x-close-codes'].map(({ code: number, reason }) => [number, code(reason)]),
    ),
  );
}

function commandsPage({ commands }) {
  return page(
    'Commands',
    'Run a command as `npm run cli -- <command>` in a checkout or your project, and as `gatehouse <command>` in the image. ' +
      'Add `-h` to print its usage.',
    table(
      ['Command', 'Description'],
      Object.values(commands).map(({ usage, summary }) => [code(usage), cell(summary)]),
    ),
  );
}

/** The question that each guard answers, see `docs/contract/credentials.md`. */
const ASKS = {
  LoadGuard: 'Does the process have capacity?',
  BanGuard: 'Is the IP address not banned?',
  ResolutionGuard: 'Who is the caller? (never rejects)',
  SsoGuard: 'Is the route open under single sign-on?',
  RateGuard: 'Is the caller within the rate limits?',
  CaptchaGuard: 'Is the captcha solved?',
  IdentityGuard: 'Is there a valid credential?',
  KindGuard: 'Does the route allow its kind?',
  ScopeGuard: 'Does the token have the scope?',
  AdminGuard: 'Is the caller an administrator?',
  AclGuard: 'Does the administrator have the ACLs?',
  SuspicionGuard: 'Does the account meet all requirements?',
  InputGuard: 'Are path, query and body valid?',
  CheckGuard: 'Does the extension allow the caller?',
  SudoGuard: 'Is sudo mode active, if required?',
};

const STATUS = (errors, name) => errors.find(([known]) => known === name)?.[1];

function asked({ rows, errors }) {
  return rows.map(({ name, codes: list }, index) => {
    if (!ASKS[name]) throw new Error(`scripts/guides/reference.mjs has no question for ${name}`);
    const refusals = list.map((refusal) => ({ code: refusal, status: STATUS(errors, refusal) }));
    return { number: index + 1, asks: ASKS[name], refusals };
  });
}

function orderPage(facts) {
  return page(
    'Order of checks',
    'Every request passes these checks from top to bottom. The first check that rejects the request decides the response. A route ' +
      'runs only the checks that its policy needs.',
    '![The checks in their order, each with its error codes](/order.svg)',
    table(
      ['#', 'Check', 'Errors'],
      asked(facts).map(({ number, asks, refusals }) => [
        number,
        asks,
        refusals.map(({ code: name, status }) => `${status} ${code(name)}`).join(', ') || 'none',
      ]),
    ),
  );
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Draws the order of the guards: the path of an accepted request on the left, the errors on the right. */
export function orderDrawing(facts) {
  const rows = asked(facts);
  const [height, top] = [46, 40];
  const lines = rows.map(({ number, asks, refusals }, index) => {
    const y = top + index * height;
    const names = refusals.map(({ code: name, status }) => `${status} ${name}`);
    const shown = names.length > 2 ? [...names.slice(0, 2), `and ${names.length - 2} more`] : names;
    const arrow = `<path d="M362 ${y + 16}H398" marker-end="url(#end)"/><text x="408" y="${y + 20}" class="no">${escaped(shown.join(', '))}</text>`;
    return [
      `<path d="M181 ${y - 14}V${y - 2}" marker-end="url(#end)"/>`,
      `<rect x="10" y="${y}" width="342" height="32" rx="6"/><text x="24" y="${y + 20}">${number}. ${escaped(asks)}</text>`,
      names.length > 0 ? arrow : '',
    ].join('\n');
  });
  const end = top + rows.length * height;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 ${end + 40}" font-family="system-ui, sans-serif" font-size="14">
<title>The order of checks</title>
<style>
rect { fill: #eef2fd; stroke: #2f5bea } path { stroke: #5a6478; fill: none } text { fill: #1b2333 } .no { fill: #a3262a; font-size: 12px }
@media (prefers-color-scheme: dark) { rect { fill: #1f2a4a; stroke: #8aa5ff } path { stroke: #a8b1c4 } text { fill: #e8ecf5 } .no { fill: #ff9a9a } }
</style>
<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8"/></marker></defs>
<text x="181" y="20" text-anchor="middle">a request</text>
${lines.join('\n')}
<path d="M181 ${end - 14}V${end - 2}" marker-end="url(#end)"/>
<text x="181" y="${end + 18}" text-anchor="middle">the handler of the route</text>
</svg>
`;
}

/** Every page of the reference, by its path in the site. */
export function referencePages(facts) {
  return new Map([
    ['reference/routes.md', routesPage(facts)],
    ['reference/order.md', orderPage(facts)],
    ['reference/errors.md', errorsPage(facts)],
    ['reference/limits.md', limitsPage(facts)],
    ['reference/configuration.md', configurationPage(facts)],
    ['reference/acls.md', aclsPage(facts)],
    ['reference/scopes.md', scopesPage(facts)],
    ['reference/events.md', eventsPage(facts)],
    ['reference/commands.md', commandsPage(facts)],
  ]);
}
