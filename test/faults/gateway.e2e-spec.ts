import { jest } from '@jest/globals';
import { emptyDatabase, query } from '../machine/databases.js';
import { describeWithSharedStore, redisDatabase } from '../machine/redis.js';
import { ResumingClient } from '../machine/resuming-client.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { newWebhook, person } from '../support/index.js';

/** How long each test runs. The long run takes 600 seconds. */
const SECONDS = Number(process.env.GATEWAY_FAULT_SECONDS ?? 8);
const KILL_EVERY_MS = Math.min(10_000, (SECONDS * 1000) / 2);
const SENDERS = [1, 2, 5, 20];
const REPLICAS = 3;

jest.setTimeout((SECONDS + 600) * 1000);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const pick = <T>(some: readonly T[]): T => some[Math.floor(Math.random() * some.length)] as T;

describeWithSharedStore('gateway 13: replicas that are killed while clients connect and disconnect', () => {
  let env: Record<string, string>;
  const replicas: (ServiceProcess | null)[] = [];
  const up = () => replicas.filter((replica) => replica !== null);
  const started: ServiceProcess[] = [];

  beforeAll(async () => {
    const numbers = { sockets_per_address: 1e6, payloads_per_address: 1e6, attempts_per_address: 1e6 };
    env = {
      DATABASE_URL: await emptyDatabase(),
      REDIS_URL: redisDatabase(8),
      GATEWAY_NUMBERS: JSON.stringify(numbers),
    };
    replicas.push(await ServiceProcess.ready(env));
    const more = Array.from({ length: REPLICAS - 1 }, () => ServiceProcess.ready(env));
    replicas.push(...(await Promise.all(more)));
    started.push(...up());
  });
  afterAll(endProcesses);

  /** Kills a random replica and starts another one in its place. */
  async function kill(): Promise<void> {
    const index = replicas.indexOf(pick(up()));
    const victim = replicas[index];
    replicas[index] = null;
    await victim?.stop('SIGKILL');
    const successor = await ServiceProcess.ready(env);
    replicas[index] = successor;
    started.push(successor);
  }

  /** The messages of each account in commit order, collected before the journal deletes them. */
  class Truth {
    readonly messages = new Map<string, Map<number, string>>();
    private last = '0';

    async collect(): Promise<void> {
      const rows = await query(
        env.DATABASE_URL as string,
        `SELECT id, account_id, number, data->>'message_id' AS message FROM journal
         WHERE id > $1::bigint - 1000 AND data->>'type' = 'WEBHOOK_MESSAGE_CREATE' ORDER BY id`,
        [this.last],
      );
      for (const { id, account_id, number, message } of rows) {
        const account = this.messages.get(String(account_id)) ?? new Map<number, string>();
        this.messages.set(String(account_id), account.set(Number(number), String(message)));
        this.last = String(id);
      }
    }

    of(account: string): string[] {
      return [...(this.messages.get(account) ?? [])].sort(([a], [b]) => a - b).map(([, message]) => message);
    }
  }

  test(`${SENDERS.join(', ')} senders per account, Resumes anywhere, a kill every ${KILL_EVERY_MS / 1000} s: 0 op 9, 0 lost, 0 doubled, 0 out of order`, async () => {
    const truth = new Truth();
    const accounts = await Promise.all(
      SENDERS.map(async (senders) => {
        const who = await person(pick(up()));
        const hook = await newWebhook(pick(up()), who);
        const clients = [[], ['SESSIONS_REPLACE']].map(
          (ignored) => new ResumingClient(who.authorization, () => pick(up()), ignored),
        );
        for (const client of clients) await client.start();
        return { senders, who, hook, clients, answered: new Set<string>() };
      }),
    );
    const endsAt = performance.now() + SECONDS * 1000;
    const isOver = () => performance.now() > endsAt;
    const loads = accounts.flatMap(({ senders, hook, clients, answered }) => {
      const burst = async () => {
        const send = async (_: unknown, n: number) => {
          const response = await pick(up())
            .anonymous.post(`${hook.path}?wait=true`, { content: String(n) })
            .catch(() => null);
          if (response?.status === 200) answered.add(response.body.id);
        };
        while (!isOver()) {
          await Promise.all(Array.from({ length: senders }, send));
          await pause(150);
        }
      };
      const wander = async (client: ResumingClient) => {
        while (!isOver()) {
          await pause(300 + Math.random() * 1200);
          client.drop();
        }
      };
      return [burst(), ...clients.map(wander)];
    });
    const kills = (async () => {
      let count = 0;
      while (!isOver()) {
        await pause(KILL_EVERY_MS);
        if (isOver()) break;
        await kill();
        count++;
      }
      return count;
    })();
    const collecting = (async () => {
      while (!isOver()) {
        await pause(5000);
        await truth.collect();
      }
    })();
    await Promise.all([...loads, collecting]);
    const killed = await kills;
    await truth.collect();

    const messagesOf = ({ seen }: ResumingClient) =>
      seen.filter(({ t }) => t === 'WEBHOOK_MESSAGE_CREATE').map(({ d }) => String(d.id));
    for (const { who, clients } of accounts) {
      const last = truth.of(who.id).at(-1);
      for (const client of clients) await until(() => client.invalidations > 0 || messagesOf(client).at(-1) === last);
    }
    const faults = started.flatMap(({ out, err }) =>
      `${out}\n${err}`.split('\n').filter((line) => /"level":"error"|ERROR/i.test(line)),
    );
    let resumes = 0;
    for (const { who, clients, answered } of accounts) {
      const committed = truth.of(who.id);
      for (const client of clients) {
        // On failure, this shows the errors that the replicas logged, because an unreadable event ends its sessions.
        expect([client.invalidations, client.invalidations > 0 ? faults : []]).toEqual([0, []]);
        expect(client.repeated).toEqual([]);
        expect(messagesOf(client)).toEqual(committed);
        expect([...answered].filter((id) => !committed.includes(id))).toEqual([]);
        resumes += client.resumes;
        client.close();
      }
    }
    const reported = accounts.map(({ who, senders }) => `${senders} senders ${truth.of(who.id).length}`).join(', ');
    process.stdout.write(`${killed} kills, ${resumes} Resumes, messages: ${reported}\n`);
    expect(killed).toBeGreaterThan(0);
  });
});
