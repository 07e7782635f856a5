import { randomBytes } from 'node:crypto';
import 'reflect-metadata';
import pg from 'pg';
import { databaseSchema } from '../../dist/src/features.js';
import { Balancer } from './balancer.mjs';
import { due, Fleet, upgrade } from './fleet.mjs';
import { register } from './people.mjs';
import { Traffic } from './traffic.mjs';

async function query(url, text, values) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** @param servers URLs of a database and of a Redis, both empty, and a folder. @throws Error with the failures */
export async function run(oldest, newest, { databaseUrl, redisUrl, folder }) {
  const env = {
    PATH: process.env.PATH,
    ...(process.env.HTTP_PLATFORM && { HTTP_PLATFORM: process.env.HTTP_PLATFORM }),
    ...{ LOG_LEVEL: 'info', LOG_FORMAT: 'json', DATA_DIR: folder },
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, PUBLIC_ORIGIN: 'http://localhost:8080' },
    GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
    ...{ RATE_LIMITS: 'off', LOGIN_ALLOWANCES: 'off', REGISTRATION_ALLOWANCES: 'off', ABUSE_BANS: 'off' },
    // Password hashing is slow on purpose, and is not tested here.
    ...{ NODE_ENV: 'test', ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1' },
    // The service must not reject requests because the machine is busy with other work.
    MAX_LOOP_DELAY_MS: '0',
  };
  const balancer = await Balancer.start();
  const traffic = new Traffic(balancer);
  const fleet = new Fleet(env, balancer, traffic);
  await fleet.add(oldest);
  await fleet.add(oldest);
  fleet.root = await register(balancer, 'root');
  await query(databaseUrl, `UPDATE account SET acls = '{*}' WHERE id = $1`, [fleet.root.id]);
  await traffic.begin();
  await fleet.work('before');
  const applied = (await query(databaseUrl, 'SELECT name FROM migration')).map(({ name }) => name);
  await upgrade(fleet, oldest, newest, due(databaseSchema().migrations, applied));
  await traffic.leave();
  await fleet.look();
  for (const replica of [...fleet.replicas]) await fleet.remove(replica);
  fleet.check();
  const { revocations, changes } = traffic.ledger.size;
  const handed = [...balancer.handed].map(([version, count]) => `${count} by ${version} replicas`).join(', ');
  console.log(`requests of clients answered: ${handed}; none failed`);
  console.log(`${revocations} revocations hold and ${changes} changes are kept at every replica`);
  balancer.close();
}
