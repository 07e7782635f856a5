import pg from 'pg';
import { SMTPServer } from 'smtp-server';
import { emptyDatabase, query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { newWebhook, type Persona, person, signIn } from '../support/index.js';

/** A mail server that can hold messages. While it does, senders wait for its response. */
class Mailbox {
  isHeld = false;
  /** Number of held messages, whose senders wait. */
  waiting = 0;
  readonly delivered: { readonly to: string; readonly id: string }[] = [];
  private readonly server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, { envelope }, done) => {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('end', () => {
        if (this.isHeld) {
          this.waiting++;
          return;
        }
        const id = /^Message-ID: (.+)$/im.exec(text)?.[1] ?? '';
        for (const { address: to } of envelope.rcptTo) this.delivered.push({ to, id });
        done();
      });
    },
  });

  async open(): Promise<string> {
    // Connections of killed processes break.
    this.server.on('error', () => {});
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `smtp://127.0.0.1:${(this.server.server.address() as { port: number }).port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

describeOnPostgres('FLT-01 kill -9 between an event and its notification', () => {
  const mailbox = new Mailbox();
  let env: Record<string, string>;
  let service: ServiceProcess;

  beforeAll(async () => {
    env = {
      DATABASE_URL: await emptyDatabase(),
      MAIL_TRANSPORT: 'smtp',
      MAIL_FROM: 'us@example.com',
      SMTP_URL: await mailbox.open(),
    };
    service = await ServiceProcess.ready(env);
  });
  afterAll(async () => {
    await endProcesses();
    await mailbox.close();
  });

  const sql = (text: string, values: unknown[] = []) => query(env.DATABASE_URL as string, text, values);

  /**
   * Restarts the killed service. Pending rows become due immediately, because their leases run on the database clock.
   */
  async function restarted(): Promise<void> {
    await sql('UPDATE outbox SET next_attempt_at = now() WHERE sent_at IS NULL');
    await sql("UPDATE pgboss_job SET state = 'retry', start_after = now() WHERE state = 'active'");
    service = await ServiceProcess.ready(env);
  }

  const eventsOf = async ({ id }: Persona, type: string) =>
    (await sql('SELECT data FROM security_event WHERE account_id = $1 AND type = $2', [id, type])).map(
      ({ data }) => data,
    );
  const noticesTo = async ({ id }: Persona) =>
    sql("SELECT id, sent_at FROM outbox WHERE account_id = $1 AND type = 'security_notice'", [id]);
  const mailSettled = () =>
    until(async () => (await sql('SELECT FROM outbox WHERE sent_at IS NULL AND parked_at IS NULL')).length === 0);

  test('web.md 5: between the commit of an event and its email: one event, and the email arrives once', async () => {
    const owner = await person(service, 'owner');
    await sql('UPDATE account SET email_verified = true WHERE id = $1', [owner.id]);
    await mailSettled();
    const before = mailbox.delivered.length;
    mailbox.isHeld = true;
    const lockdown = await service.as(owner).post('/v1/users/@me/lockdown', { password: owner.password });
    expect(lockdown.status).toBe(200);
    await until(() => mailbox.waiting > 0);
    expect([await eventsOf(owner, 'locked_down'), await noticesTo(owner)]).toEqual([
      [expect.objectContaining({ by: 'session' })],
      [expect.objectContaining({ sent_at: null })],
    ]);
    expect(await service.stop('SIGKILL')).toBeNull();
    mailbox.isHeld = false;
    await restarted();
    await mailSettled();
    expect(await eventsOf(owner, 'locked_down')).toHaveLength(1);
    const [notice, ...more] = await noticesTo(owner);
    expect(more).toEqual([]);
    const arrived = mailbox.delivered.slice(before).filter(({ to }) => to === owner.email);
    expect(arrived).toHaveLength(1);
    expect(arrived[0]?.id).toContain(String(notice?.id));
  });

  test('web.md 6: after the response to a report: the reported credentials are revoked, and the owner is notified once', async () => {
    const owner = await person(service, 'owner');
    await sql('UPDATE account SET email_verified = true WHERE id = $1', [owner.id]);
    const [leaked, hook] = [await signIn(service, owner), await newWebhook(service, owner)];
    await mailSettled();
    const before = mailbox.delivered.length;
    // While this transaction is open, nothing of the account can be changed.
    const holder = new pg.Client({ connectionString: env.DATABASE_URL });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM account WHERE id = $1 FOR UPDATE', [owner.id]);
    const response = await service.anonymous.post('/v1/credentials/revoke', { credentials: [leaked, hook.url] });
    expect([response.status, response.body]).toEqual([202, {}]);
    expect(await service.stop('SIGKILL')).toBeNull();
    expect(await eventsOf(owner, 'credential_leaked')).toEqual([]);
    await holder.end();
    await restarted();
    await until(async () => (await sql('SELECT FROM leak_report')).length === 0);
    expect((await service.as(leaked).get('/v1/users/@me')).status).toBe(401);
    expect((await service.anonymous.get(hook.path)).status).toBe(404);
    expect((await service.as(owner).get('/v1/users/@me')).status).toBe(200);
    expect(await eventsOf(owner, 'credential_leaked')).toEqual([{ kind: 'session' }, { kind: 'webhook' }]);
    const audited = await sql("SELECT FROM audit_log WHERE action = 'end_leaked_credential' AND target_id = $1", [
      owner.id,
    ]);
    expect(audited).toHaveLength(2);
    await mailSettled();
    const arrived = mailbox.delivered.slice(before).filter(({ to }) => to === owner.email);
    expect(new Set(arrived.map(({ id }) => id)).size).toBe(2);
  });
});
