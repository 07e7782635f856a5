/** A PostgreSQL primary with a synchronous standby, which must have every commit before it is acknowledged. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../lib.mjs';
import { endsWithUs, program, until } from './servers.mjs';

const STANDBY = 'chaos_standby';

/** The user that runs PostgreSQL, which refuses to run as root. */
function account() {
  const [uid, gid] = [process.getuid(), process.getgid()];
  if (uid !== 0) return { uid, gid };
  const [ofUser, ofGroup] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'])));
  return { uid: ofUser, gid: ofGroup };
}

class Server {
  #child;
  #as;

  constructor(folder, port) {
    this.folder = folder;
    this.port = port;
    this.data = join(folder, 'data');
    this.#as = { ...account(), cwd: folder };
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, this.#as.uid, this.#as.gid);
  }

  run(name, args) {
    execFileSync(program(name), args, { ...this.#as, stdio: 'pipe' });
  }

  async start() {
    const settings = [
      ...['listen_addresses=127.0.0.1', `unix_socket_directories=${this.folder}`, `cluster_name=${STANDBY}`],
      ...['wal_level=replica', 'wal_keep_size=256MB', 'synchronous_commit=on', 'wal_retrieve_retry_interval=200ms'],
      'max_connections=200',
    ];
    const args = ['-D', this.data, '-p', String(this.port), ...settings.flatMap((setting) => ['-c', setting])];
    this.#child = spawn(program('postgres'), args, { ...this.#as, stdio: 'ignore' });
    endsWithUs(this.#child, 'SIGQUIT');
    await until(() => this.query('SELECT 1').then(() => true), 'the start of PostgreSQL');
  }

  async stop(signal) {
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exited;
  }

  get url() {
    return `postgres://gatehouse@127.0.0.1:${this.port}/postgres`;
  }

  async query(text, values) {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => {});
    await client.connect();
    return client
      .query(text, values)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  }
}

export class Pair {
  #root;
  #made = 0;
  primary;
  standby;

  constructor(root) {
    this.#root = root;
  }

  async #server() {
    return new Server(join(this.#root, `postgres-${++this.#made}`), await freePort());
  }

  async open() {
    this.primary = await this.#server();
    this.primary.run('initdb', [
      '-D',
      this.primary.data,
      '-U',
      'gatehouse',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '-N',
    ]);
    await this.primary.start();
    await this.addStandby();
  }

  /**
   * Adds a copy of the primary as standby. From then on, the primary acknowledges only commits that the standby has.
   */
  async addStandby() {
    const standby = await this.#server();
    const from = `host=127.0.0.1 port=${this.primary.port} user=gatehouse application_name=${STANDBY}`;
    standby.run('pg_basebackup', ['-D', standby.data, '-d', from, '-R', '-X', 'stream', '-c', 'fast', '-N']);
    await standby.start();
    this.standby = standby;
    await this.#demand(STANDBY);
    await until(() => this.isSynchronous(), 'a synchronous standby');
  }

  async #demand(names) {
    await this.primary.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await this.primary.query('SELECT pg_reload_conf()');
  }

  async isSynchronous() {
    const rows = await this.primary.query(`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`);
    return rows.length === 1;
  }

  /** Stops the primary. The standby takes its place, without a standby of its own. */
  async fail() {
    await this.primary.stop('SIGQUIT');
    const { standby } = this;
    this.standby = undefined;
    await standby.query('SELECT pg_promote(true, 120)');
    this.primary = standby;
    // The new primary has inherited the setting, so its commits would wait for a standby that it does not have.
    await this.#demand('');
  }

  async close() {
    await this.standby?.stop('SIGINT');
    await this.primary?.stop('SIGINT');
  }
}
