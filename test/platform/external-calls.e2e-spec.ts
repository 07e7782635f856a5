import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { SessionStore } from '../../src/gateway/store/session-store.js';
import { Database, type Tx } from '../../src/platform/database/database.js';
import { Inbox } from '../../src/platform/mail/inbox.js';
import { Outbound } from '../../src/platform/outbound/outbound.js';
import { Storage } from '../../src/platform/storage/storage.js';
import { SharedStore } from '../../src/platform/store/shared-store.js';
import { type Gatehouse, gatehouse } from '../support/index.js';

let service: Gatehouse;
let database: Database;
beforeAll(async () => {
  service = await gatehouse();
  database = service.app.get(Database);
});
afterAll(() => service.close());

const CALLS: Readonly<Record<string, (app: INestApplication) => unknown>> = {
  'the shared store': (app) => app.get(SharedStore).add('external-calls', 1, 60),
  'the store of gateway sessions': (app) => app.get(SessionStore).sockets([]),
  'an HTTP server': (app) => app.get(Outbound).request({ url: 'https://external.example', method: 'GET' }),
  'the object storage': (app) => app.get(Storage).size('media', 'external-calls'),
  'the provider of email': (app) =>
    app.get(Inbox).receive({
      ...{ id: '1', channel: 'email', recipient: 'external-calls@example.com', accountId: null, type: 'test' },
      ...{ subject: null, text: '', html: null, metadata: {} },
    }),
};

const rows = () => service.sql(`SELECT 1 FROM instance WHERE name = 'external-calls'`);
const insert = (tx: Tx) => tx.query<unknown>(`INSERT INTO instance (name, value) VALUES ('external-calls', '1')`);

describe.each(Object.keys(CALLS))('a call to %s', (name) => {
  const call = async () => CALLS[name]?.(service.app);
  const message = /^\w+\.\w+ is called inside a transaction/;

  test('fails inside a transaction, which is rolled back', async () => {
    const work = database.transaction(async (tx) => {
      await insert(tx);
      await call();
    });
    await expect(work).rejects.toThrow(message);
    expect(await rows()).toEqual([]);
  });

  test('fails before the commit', async () => {
    const work = database.transaction(async (tx) => {
      await insert(tx);
      database.beforeCommit(tx, async () => void (await call()));
    });
    await expect(work).rejects.toThrow(message);
    expect(await rows()).toEqual([]);
  });
});

test('calls after the commit are allowed, also if the transaction started them', async () => {
  const store = service.app.get(SharedStore);
  let late: Promise<number> | undefined;
  await database.transaction(async (tx) => {
    database.onCommit(tx, async () => void (await store.add('external-calls-after', 1, 60)));
    late = delay(50).then(() => store.add('external-calls-after', 1, 60));
  });
  expect(await late).toBe(2);
});
