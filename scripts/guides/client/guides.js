/** Runs on every page of the guides: search and buttons that copy code. Without it, all pages are readable. */
import { loadIndex, search } from '../search.mjs';

const box = document.querySelector('#search');
const list = document.querySelector('#results');
const status = document.querySelector('#search-status');
let loading;
let active = -1;

/** Loads the index when the reader starts to search. */
function loadedIndex() {
  loading ??= fetch('/guides/search.json').then(async (response) => {
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return loadIndex(await response.text());
  });
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

const options = () => [...list.querySelectorAll('[role=option]')];

function select(index) {
  const all = options();
  active = all.length === 0 ? -1 : (index + all.length) % all.length;
  for (const [number, option] of all.entries()) option.setAttribute('aria-selected', String(number === active));
  const chosen = all[active];
  if (!chosen) return box.removeAttribute('aria-activedescendant');
  box.setAttribute('aria-activedescendant', chosen.id);
  chosen.scrollIntoView({ block: 'nearest' });
}

function close() {
  list.hidden = true;
  box.setAttribute('aria-expanded', 'false');
  select(-1);
}

function optionOf({ id, title, heading }, number) {
  const option = document.createElement('li');
  option.id = `result-${number}`;
  option.role = 'option';
  option.dataset.link = `/guides/${id}`;
  const name = document.createElement('strong');
  name.textContent = heading || title;
  option.append(name);
  if (heading) option.append(` ${title}`);
  return option;
}

async function show() {
  const query = box.value.trim();
  if (query === '') return close();
  let found;
  try {
    found = search(await loadedIndex(), query);
  } catch {
    status.textContent = 'Search is not available. Check your connection and try again.';
    return close();
  }
  if (query !== box.value.trim()) return;
  list.replaceChildren(...found.map(optionOf));
  list.hidden = found.length === 0;
  box.setAttribute('aria-expanded', String(found.length > 0));
  status.textContent = found.length === 0 ? `No results for “${query}”` : `${found.length} results`;
  select(found.length === 0 ? -1 : 0);
}

const open = (option) => {
  close();
  location.assign(option.dataset.link);
};

box.addEventListener('input', show);
box.addEventListener('focus', () => void loadedIndex().catch(() => undefined));
box.addEventListener('blur', close);
box.addEventListener('keydown', (event) => {
  const steps = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in steps && !list.hidden) select(active + steps[event.key]);
  else if (event.key === 'Enter' && options()[active]) open(options()[active]);
  else if (event.key === 'Escape') close();
  else return;
  event.preventDefault();
});
// A press keeps the focus in the box, so that `blur` does not close the list before the click.
list.addEventListener('pointerdown', (event) => event.preventDefault());
list.addEventListener('click', ({ target }) => {
  const option = target.closest('[role=option]');
  if (option) open(option);
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea')) return;
  event.preventDefault();
  box.focus();
});

for (const block of document.querySelectorAll('main .code:not(.output) pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  block.parentElement.append(button);
}
