import { describeWithOwnSessions } from '../machine/postgres.js';
import { newApp, newTokens, person, withGatehouse } from '../support/index.js';

/** Statement names with the index that each one must use. */
const LOOKUPS = {
  'identity-session': 'session_digest',
  'identity-bot': 'bot_token_digest',
  'identity-bearer': 'oauth_token_digest',
};

/** More than five, because PostgreSQL always creates a custom plan for the first five executions. */
const TIMES = 12;

describeWithOwnSessions('the lookup of a credential', () => {
  test('is planned once, even for few credentials', () =>
    // With a pool of one connection, all statements are prepared on the same connection.
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
      // PostgreSQL creates the generic plan while the tables are almost empty. It must also be good for large tables.
      for (const [name, index] of Object.entries(LOOKUPS)) {
        const plan = JSON.stringify(await service.sql(`EXPLAIN EXECUTE "${name}"('{}')`));
        expect(plan).toContain(`Index Scan using ${index}`);
        expect(plan).not.toContain('Seq Scan');
      }
    }));
});
