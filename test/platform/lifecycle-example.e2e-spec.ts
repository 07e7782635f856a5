import { notes } from '../fixtures/team/feature.js';
import { FirstNote, welcome } from '../fixtures/team/welcome.js';
import { eraseAccount, expectApiError, person, runJobs, withGatehouse } from '../support/index.js';

test('the example of docs/extending.md writes a first note, can close the registration, and removes notebooks', async () => {
  await withGatehouse({ features: [notes, welcome] }, async (team) => {
    const bob = await person(team, 'bob');
    const owned = () => team.sql('SELECT id FROM notes WHERE owner_id = $1', [bob.id]);
    expect(await owned()).toEqual([{ id: bob.id }]);
    team.app.get(FirstNote, { strict: false }).isClosed = true;
    const response = await team.anonymous.post('/v1/auth/register', {
      ...{ email: 'late@example.com', password: 'a long enough password', username: 'late' },
    });
    expectApiError(response, 'WELCOME_CLOSED');
    expect(await team.sql('SELECT 1 FROM account WHERE email = $1', ['late@example.com'])).toEqual([]);
    await team.sql('INSERT INTO notes_notebook VALUES (0), (1)');
    team.app.get(FirstNote, { strict: false }).isClosed = false;
    const carol = await person(team, 'carol');
    await eraseAccount(team, bob);
    expect(await owned()).toEqual([]);
    expect(await team.sql('SELECT id FROM notes_notebook')).toHaveLength(2);
    expect(await runJobs(team)).toBe(1);
    expect(await team.sql('SELECT id FROM notes_notebook')).toEqual([{ id: '0' }]);
    expect(await team.sql('SELECT owner_id FROM notes')).toEqual([{ owner_id: carol.id }]);
  });
});
