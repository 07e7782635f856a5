import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
/** The scripts of the site have no types. */
const script = (name: string) => import(join(root, 'scripts/guides', name));

/** Questions of new users, with the page that must be first. */
const QUESTIONS: Readonly<Record<string, string>> = {
  'get started': 'quick-start',
  'how do I log out': 'quick-start',
  login: 'clients/signing-in',
  'sign in': 'clients/signing-in',
  'reset password': 'clients/signing-in',
  '2fa': 'clients/signing-in',
  docker: 'operators/container',
  kubernetes: 'operators/kubernetes',
  systemd: 'operators/virtual-machine',
  'fly.io': 'operators/fly-and-railway',
  python: 'clients/oauth2',
  'refresh token': 'clients/oauth2',
  'create a bot': 'clients/bots',
  'receive a webhook': 'clients/webhooks',
  'protect a route': 'teams/overview',
  'sudo mode': 'clients/sudo',
  'websocket events': 'clients/gateway',
  'upload a file': 'clients/media',
  'rate limit exceeded': 'clients/rate-limits',
  'error codes': 'clients/errors',
  'back up and restore': 'operators/backup',
  'behind nginx': 'operators/proxies',
  'rotate the secret': 'operators/key-rotation',
  'environment variables': 'operators/configuration',
  'become administrator': 'tour',
  'import users': 'manual/importing',
  'sso with okta': 'operators/single-sign-on',
  'how do I upgrade': 'operators/upgrade',
  'route policy audit failed': 'teams/mistakes',
};

describe('the search of the guides', () => {
  let find: (question: string) => string[];
  beforeAll(async () => {
    const { assemble } = await script('assemble.mjs');
    const { readFacts } = await script('facts.mjs');
    const { referencePages } = await script('reference.mjs');
    const { loadIndex, search } = await script('search.mjs');
    const { indexOf } = await script('site.mjs');
    const facts = await readFacts((path: string) => import(join(root, 'src', path.replace(/\.js$/, '.ts'))));
    const { pages } = assemble(referencePages(facts));
    const index = loadIndex(JSON.stringify(indexOf(pages)));
    find = (question) => search(index, question).map(({ id }: { id: string }) => id.split('#')[0] as string);
  });

  test.each(Object.entries(QUESTIONS))('“%s” finds %s first', (question, page) => {
    expect(find(question)[0]).toBe(page);
  });

  test('a word that no page contains finds nothing', () => {
    expect(find('qqqqqqqq')).toEqual([]);
  });
});
