import pg from 'pg';
import { testOnPostgres } from '../machine/postgres.js';
import { endProcesses, ServiceProcess } from '../machine/service-process.js';
import { copyTemplate } from '../support/gatehouse.js';
import { eventually } from '../support/index.js';

afterAll(endProcesses);

testOnPostgres('expired rows are deleted by one of two replicas, and by the other one after a kill', async () => {
  const DATABASE_URL = (await copyTemplate()) as string;
  const database = new pg.Client({ connectionString: DATABASE_URL });
  await database.connect();
  const rows = async (text: string) => (await database.query(text)).rows;
  const replicas = [await ServiceProcess.ready({ DATABASE_URL }), await ServiceProcess.ready({ DATABASE_URL })];
  const job = "pgboss_job WHERE name = 'platform:clean_up'";
  const waiting = async () => (await rows(`SELECT state::text FROM ${job}`)).map(({ state }) => state);
  const expire = async () => {
    await database.query(
      "INSERT INTO ip_ban (value, kind, reason, expires_at) VALUES ('192.0.2.1', 'temporary_24h', 'automatic', now() - interval '1 second')",
    );
    await database.query(`UPDATE pgboss_job SET start_after = now() WHERE name = 'platform:clean_up'`);
  };
  const isCleaned = () =>
    eventually('no expired row', async () => ((await rows('SELECT FROM ip_ban')).length === 0 ? true : undefined));

  await eventually('a waiting job', async () => ((await waiting()).length > 0 ? true : undefined));
  await expire();
  await isCleaned();
  await eventually('the next run', async () => ((await waiting())[0] === 'created' ? true : undefined));
  expect(await waiting()).toEqual(['created']);

  // As a replica that was killed during a run leaves it.
  replicas[0]?.child.kill('SIGKILL');
  await replicas[0]?.exited;
  await expire();
  await database.query(`UPDATE pgboss_job SET state = 'active', started_on = now() - interval '31 seconds'
    WHERE name = 'platform:clean_up'`);
  await isCleaned();
  await eventually('the next run', async () => ((await waiting())[0] === 'created' ? true : undefined));
  await database.end();
});
