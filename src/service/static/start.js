/* global SwaggerUIBundle */
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#description', deepLinking: true });

const element = (name, text, ...children) => {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
};

/** Renders a message as a collapsible element: sender, purpose and schema. */
function messageOf(key, { name, summary, payload }, operations) {
  const operation = operations[`receive${key}`];
  const who = operation ? `clients: ${operation['x-gatehouse-policy']}` : 'the gateway';
  const title = element('summary', '', element('code', name), `  ${summary ?? ''}  (${who})`);
  return element('details', '', title, element('pre', JSON.stringify(payload, null, 2)));
}

async function showGateway() {
  const { components, operations, 'x-close-codes': closings } = await (await fetch('/asyncapi.json')).json();
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

showGateway();
