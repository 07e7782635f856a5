/* global SwaggerUIBundle */

/** Applies the color scheme that the user chose in the account pages, or that of the system. */
function applyTheme() {
  const chosen = localStorage.getItem('gatehouse.theme') ?? 'system';
  const { classList, dataset } = document.documentElement;
  if (chosen === 'system') delete dataset.theme;
  else dataset.theme = chosen;
  classList.toggle('dark-mode', chosen === 'dark' || (chosen === 'system' && prefersDark.matches));
}
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
prefersDark.addEventListener('change', applyTheme);
addEventListener('storage', applyTheme);
applyTheme();

/** Keeps the operations that contain all words of the filter in their tag, method, path, summary or ID. */
function opsFilter(taggedOperations, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (tag, entry) => {
    const texts = [['method'], ['path'], ['operation', 'summary'], ['operation', 'operationId']];
    const text = [tag, ...texts.map((path) => entry.getIn(path))].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return taggedOperations
    .map((group, tag) => group.update('operations', (entries) => entries.filter((entry) => matches(tag, entry))))
    .filter((group) => group.get('operations').size > 0);
}

/**
 * Renders each tag on its own. Swagger UI renders only the visible part of a list of 150 operations or more, so that
 * the browser could not find the others.
 */
function renderAllOperations(Original, { React }) {
  return (props) => {
    const groups = props.specSelectors.taggedOperations();
    if (groups.size === 0) return React.createElement('p', null, 'No operation matches the filter.');
    return groups
      .entrySeq()
      .map(([tag, group]) => {
        const one = groups.clear().set(tag, group);
        const specSelectors = { ...props.specSelectors, taggedOperations: () => one };
        return React.createElement(Original, { ...props, key: tag, specSelectors });
      })
      .toArray();
  };
}

const element = (name, text, ...children) => {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
};

/** Seconds until the next attempt, if the response has no number of seconds in `Retry-After`. */
const RETRY_SECONDS = 5;

/** Loads a document and shows it. Tries again if the connection fails, or if the response has `Retry-After`. */
async function show(path, place, render) {
  for (;;) {
    const response = await fetch(path).catch(() => null);
    if (response?.ok) return render(await response.json());
    const mayRetry = !response || response.headers.has('Retry-After');
    const cause = response ? `status ${response.status}` : 'no connection';
    const next = mayRetry ? 'The page tries again automatically.' : 'Reload the page to try again.';
    document.getElementById(place).replaceChildren(element('p', `${path} could not be loaded (${cause}). ${next}`));
    if (!mayRetry) return;
    // A proxy may send a date, or zero.
    const seconds = Number(response?.headers.get('Retry-After')) || RETRY_SECONDS;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

const showOperations = (spec) =>
  SwaggerUIBundle({
    spec,
    dom_id: '#description',
    deepLinking: true,
    filter: true,
    // The schemas of an operation are shown with it.
    defaultModelsExpandDepth: -1,
    plugins: [{ fn: { opsFilter }, wrapComponents: { operations: renderAllOperations } }],
  });

/** Renders a message as a collapsible element: sender, purpose and schema. */
function messageOf(key, { name, summary, payload }, operations) {
  const operation = operations[`receive${key}`];
  const who = operation ? `clients: ${operation['x-gatehouse-policy']}` : 'the gateway';
  const title = element('summary', '', element('code', name), `  ${summary ?? ''}  (${who})`);
  return element('details', '', title, element('pre', JSON.stringify(payload, null, 2)));
}

function showGateway({ components, operations, 'x-close-codes': closings }) {
  const messages = Object.entries(components.messages).map(([key, message]) => messageOf(key, message, operations));
  const schemas = Object.entries(components.schemas).map(([name, schema]) => {
    const shown = element(
      'details',
      '',
      element('summary', '', element('code', name)),
      element('pre', JSON.stringify(schema, null, 2)),
    );
    shown.id = `schema-${name}`;
    return shown;
  });
  const rows = closings.map(({ code, reason }) =>
    element('tr', '', element('td', String(code)), element('td', reason)),
  );
  const head = element('thead', '', element('tr', '', element('th', 'Code'), element('th', 'Reason')));
  document
    .getElementById('gateway')
    .replaceChildren(
      element('h3', 'Messages'),
      ...messages,
      element('h3', 'Close codes'),
      element('table', '', head, element('tbody', '', ...rows)),
      element('h3', 'Schemas'),
      ...schemas,
    );
}

show('/openapi.json', 'description', showOperations);
show('/asyncapi.json', 'gateway', showGateway);
