import { testOnPostgres } from '../machine/postgres.js';
import { newApp, newTokens, person, withGatehouse } from '../support/index.js';

/** Each with the index that finds it. */
const LOOKUPS = {
  'identity-session': 'session_digest',
  'identity-bot': 'application_bot_digest',
  'identity-bearer': 'oauth_token_digest',
};

/** PostgreSQL plans the first five for their values, whatever these are. */
const TIMES = 12;

describe('the lookup of a credential', () => {
  testOnPostgres('is planned once, however few are asked for', () =>
    // One connection meets every statement.
    withGatehouse({ env: { DATABASE_POOL_SIZE: '1' } }, async (service) => {
      const alice = await person(service);
      const owner = await person(service);
      const app = await newApp(service, owner);
      for (let n = 0; n < TIMES; n++) {
        const { access_token: token } = await newTokens(service, alice, app);
        for (const by of [alice.authorization, app.bot, `Bearer ${token}`])
          expect((await service.as(by).get('/v1/users/@me')).status).toBe(200);
      }
      const prepared = await service.sql(
        `SELECT name, generic_plans::int AS kept, custom_plans::int AS planned FROM pg_prepared_statements
         WHERE name = ANY ($1) AND generic_plans + custom_plans >= $2`,
        [Object.keys(LOOKUPS), TIMES],
      );
      expect(prepared).toHaveLength(3);
      expect(prepared.filter(({ planned }) => Number(planned) > 5)).toEqual([]);
      // The plan that is kept is made while there is next to nothing, and has to be good for what comes.
      for (const [name, index] of Object.entries(LOOKUPS)) {
        const plan = JSON.stringify(await service.sql(`EXPLAIN EXECUTE "${name}"('{}')`));
        expect(plan).toContain(`Index Scan using ${index}`);
        expect(plan).not.toContain('Seq Scan');
      }
    }),
  );
});
