import { ApiError, Gateway, gatehouse } from '/notes/client/index.js';

interface Note {
  readonly id: string;
  readonly text: string;
}

/** The pages of the service store the session of the signed-in user under this key (docs/pages.md). */
const KEY = 'gatehouse.session';
const token = sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);

const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const [said, form, list] = [element('said'), element<HTMLFormElement>('form'), element('notes')];
const text = element<HTMLTextAreaElement>('text');

function show({ id, text }: Note, where: 'append' | 'prepend'): void {
  if (document.getElementById(`note-${id}`)) return;
  const item = Object.assign(document.createElement('li'), { id: `note-${id}`, textContent: text });
  list[where](item);
}

async function signedIn(credential: string): Promise<void> {
  const api = gatehouse({ credential: () => credential });
  const { endpoints } = await api.get('/.well-known/service');
  const gateway = new Gateway({
    url: endpoints.gateway,
    token: () => credential,
    onState: ({ state }) => {
      if (state === 'ready') gateway.send('NOTES_WATCH', { limit: 100 });
      if (state === 'ended') signIn();
    },
  });
  gateway.on('*', ({ name, data }) => {
    if (name === 'NOTES_WATCHED') for (const note of (data as { notes: Note[] }).notes) show(note, 'append');
    if (name === 'NOTES_CREATED') show(data as Note, 'prepend');
  });
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      await api.send('post', '/v1/notes', { body: { text: text.value } });
      text.value = '';
      said.textContent = '';
    } catch (error) {
      said.textContent = error instanceof ApiError ? error.message : 'The service cannot be reached. Try again.';
    }
  });
}

function signIn(): void {
  location.assign('/login?return_to=/notes');
}

if (token) await signedIn(token);
else signIn();
