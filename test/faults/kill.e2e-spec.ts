import { Secret, TOTP } from 'otpauth';
import { SMTPServer } from 'smtp-server';
import { emptyDatabase, query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import {
  type App,
  exchange,
  expectApiError,
  expectInvalid,
  newApp,
  newCode,
  newTokens,
  person,
  refresh,
  type TestResponse,
} from '../support/index.js';

const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 3);
const PASSWORD = 'a long enough password';

/** The response that a caller receives, or `undefined` if the connection breaks first. */
const known = (response: Promise<TestResponse>): Promise<TestResponse | undefined> => response.catch(() => undefined);

describeOnPostgres(
  'FLT-01 kill -9 during an operation: nothing acknowledged is lost, and there are no partial effects',
  () => {
    let env: Record<string, string>;
    let service: ServiceProcess;
    let mailbox: SMTPServer;
    const delivered: { to: string; id: string }[] = [];

    beforeAll(async () => {
      mailbox = new SMTPServer({
        disabledCommands: ['AUTH', 'STARTTLS'],
        onData(stream, { envelope }, done) {
          let text = '';
          stream.on('data', (chunk) => {
            text += chunk;
          });
          stream.on('end', () => {
            const id = /^Message-ID: (.+)$/im.exec(text)?.[1] ?? '';
            for (const { address } of envelope.rcptTo) delivered.push({ to: address, id });
            done();
          });
        },
      });
      // Connections of killed processes break.
      mailbox.on('error', () => {});
      await new Promise<void>((resolve) => mailbox.listen(0, '127.0.0.1', resolve));
      const { port } = mailbox.server.address() as { port: number };
      const url = await emptyDatabase();
      env = {
        DATABASE_URL: url,
        MAIL_TRANSPORT: 'smtp',
        MAIL_FROM: 'us@example.com',
        SMTP_URL: `smtp://127.0.0.1:${port}`,
        ARGON2_CONCURRENCY: '1',
      };
      service = await ServiceProcess.ready(env);
    });
    afterAll(async () => {
      await endProcesses();
      await new Promise<void>((resolve) => mailbox.close(() => resolve()));
    });

    const sql = (text: string, values: unknown[] = []) => query(env.DATABASE_URL as string, text, values);

    /** Repeats `work` in parallel, kills the process after `count` calls have finished, and restarts it. */
    async function interrupted(count: number, work: (index: number) => Promise<void>): Promise<void> {
      let answered = 0;
      let next = 0;
      let killed = false;
      const callers = Array.from({ length: 8 }, async () => {
        while (!killed) {
          await work(next++);
          answered++;
        }
      });
      await until(async () => answered >= count);
      killed = true;
      expect(await service.stop('SIGKILL')).toBeNull();
      await Promise.all(callers);
      service = await ServiceProcess.ready(env);
    }

    test('registration: every session has an account and an email; there are no partial accounts', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const sessions: { email: string; token: string }[] = [];
        await interrupted(12, async (index) => {
          const email = `kill.${round}.${index}@example.com`;
          const response = await known(service.anonymous.post('/v1/auth/register', { email, password: PASSWORD }));
          if (response) {
            expect(response.status).toBe(200);
            sessions.push({ email, token: response.body.token });
          }
        });
        for (const { email, token } of sessions) {
          const { status, body } = await service.as(token).get('/v1/users/@me');
          expect([status, body.email]).toEqual([200, email]);
        }
        // Ends the lease of the killed sender, which expires by the database clock.
        await sql('UPDATE outbox SET next_attempt_at = now() WHERE sent_at IS NULL');
        await until(async () => sessions.every(({ email }) => delivered.some(({ to }) => to === email)));
      }
      const halves = await sql(`SELECT a.email FROM account a
      WHERE a.email LIKE 'kill.%' AND (NOT EXISTS (SELECT FROM account_settings s WHERE s.account_id = a.id)
        OR NOT EXISTS (SELECT FROM session s WHERE s.account_id = a.id)
        OR NOT EXISTS (SELECT FROM outbox o WHERE o.account_id = a.id))`);
      expect(halves).toEqual([]);
    });

    test('outbox: every message arrives, and one that arrives twice has the same Message-ID', async () => {
      await until(
        async () => (await sql('SELECT FROM outbox WHERE sent_at IS NULL AND parked_at IS NULL')).length === 0,
      );
      const accounts = await sql(`SELECT email FROM account WHERE email LIKE 'kill.%'`);
      expect(accounts.length).toBeGreaterThan(0);
      for (const { email } of accounts) {
        const ids = delivered.filter(({ to }) => to === email).map(({ id }) => id);
        expect(ids.length).toBeGreaterThanOrEqual(1);
        expect(new Set(ids).size).toBe(1);
      }
      // If a process is killed after the mail server accepts a message, but before it records this, the message is sent
      // again. That allows one duplicate per sender and kill.
      expect(delivered.length - new Set(delivered.map(({ id }) => id)).size).toBeLessThanOrEqual(8 * ROUNDS);
    });

    test('refresh rotation: the last returned pair works, and a family has one active refresh token', async () => {
      const owner = await person(service, 'owner');
      const app: App = await newApp(service, owner);
      for (let round = 0; round < ROUNDS; round++) {
        const families = await Promise.all(
          Array.from({ length: 8 }, async () => ({
            token: (await newTokens(service, owner, app)).refresh_token as string,
            unknown: false,
            busy: false,
          })),
        );
        await interrupted(30, async (index) => {
          const family = families[index % families.length] as (typeof families)[number];
          if (family.busy || family.unknown) return new Promise((resolve) => setTimeout(resolve, 1));
          family.busy = true;
          const response = await known(refresh(service, app, family.token));
          if (response) {
            expect(response.status).toBe(200);
            family.token = response.body.refresh_token;
          } else family.unknown = true;
          family.busy = false;
        });
        const living = await sql(
          `SELECT family_id, count(*)::int AS n FROM oauth_token WHERE kind = 'refresh' AND consumed_at IS NULL
         GROUP BY family_id HAVING count(*) > 1`,
        );
        expect(living).toEqual([]);
        for (const family of families.filter(({ unknown }) => !unknown)) {
          expect((await refresh(service, app, family.token)).status).toBe(200);
        }
      }
    });

    test('backup codes: one that was used for a sign-in is consumed', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const owner = await person(service, 'owner');
        await sql('UPDATE account SET email_verified = true WHERE id = $1', [owner.id]);
        const secret = new Secret({ size: 20 });
        const enabled = await service.as(owner).post('/v1/users/@me/mfa/totp/enable', {
          secret: secret.base32,
          code: new TOTP({ secret }).generate(),
          password: owner.password,
        });
        expect(enabled.status).toBe(200);
        const codes = (enabled.body.backup_codes as { code: string }[]).map(({ code }) => code);
        const spend = async (code: string) => {
          const first = await service.anonymous.post('/v1/auth/login', {
            email: owner.email,
            password: owner.password,
          });
          return service.anonymous.post('/v1/auth/login/mfa/totp', { ticket: first.body.ticket, code });
        };
        const spent: string[] = [];
        await interrupted(4, async (index) => {
          const code = codes[index];
          if (code === undefined) return new Promise((resolve) => setTimeout(resolve, 1));
          const response = await known(spend(code));
          if (response?.status === 200) spent.push(code);
        });
        for (const code of spent) expectInvalid(await spend(code), 'code: INVALID_CODE');
        const [row] = await sql(
          'SELECT count(*)::int AS left FROM backup_code WHERE account_id = $1 AND consumed_at IS NULL',
          [owner.id],
        );
        expect(row?.left).toBeLessThanOrEqual(codes.length - spent.length);
      }
    });

    test('FLT-03 authorization codes: one is consumed if and only if its tokens exist', async () => {
      const owner = await person(service, 'owner');
      const app: App = await newApp(service, owner);
      for (let round = 0; round < ROUNDS; round++) {
        const codes: string[] = [];
        for (let i = 0; i < 40; i++) codes.push(await newCode(service, owner, app));
        const bought = new Set<string>();
        await interrupted(10, async (index) => {
          const code = codes[index];
          if (code === undefined) return new Promise((resolve) => setTimeout(resolve, 1));
          if ((await known(exchange(service, app, code)))?.status === 200) bought.add(code);
        });
        expect(bought.size).toBeGreaterThanOrEqual(10);
        for (const code of codes) {
          const families = await sql(`SELECT 1 FROM oauth_family WHERE code_digest = sha256(convert_to($1, 'UTF8'))`, [
            code,
          ]);
          if (bought.has(code)) expect(families).toHaveLength(1);
          const again = await exchange(service, app, code);
          if (families.length === 0) expect(again.status).toBe(200);
          else expectApiError(again, 'INVALID_GRANT');
        }
      }
    });
  },
);
