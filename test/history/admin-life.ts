import type { TestResponse } from '../support/exchange.js';
import type { Replica } from './cluster.js';
import { Life, type Step } from './life.js';
import type { AttemptResult } from './recorder.js';

const ACLS = ['user:lookup', 'audit_log:view'] as const;
const ALWAYS = ['admin:authenticate', 'admin_api_key:manage'];

/** An administrator with an API key. The access that each ACL grants counts as a separate credential. */
export class AdminLife extends Life {
  private readonly label = this.recorder.name('administrator');
  private id = '';
  private token = '';
  private session = '';
  /** Whether an ACL change without a response may still take effect and overwrite later changes. */
  private mayGiveBack = false;
  private key: { readonly id: string; readonly scope: string } | undefined;

  protected async begin(): Promise<boolean> {
    const email = `${this.label.replace(' ', '.')}@example.com`;
    const input = { email, password: `the password of ${this.label}`, username: 'clerk' };
    const registered = await this.done((replica) => replica.anonymous.post('/v1/auth/register', input));
    if (!registered) return false;
    this.id = registered.answer.body.user_id;
    this.token = registered.answer.body.token;
    const granted = await this.done((replica) => this.grant(replica, ACLS));
    if (!granted) return false;
    this.session = this.recorder.name('session of an administrator');
    for (const acl of ACLS) this.admits(acl, granted, this.token, [this.session, this.scopes.sessions]);
    const minted = await this.done((replica) =>
      replica.as(this.token).post('/v1/admin/api-keys', { name: 'key', acls: ACLS }),
    );
    if (!minted) return true;
    const scope = `key of ${this.label}`;
    this.key = { id: minted.answer.body.key_id, scope };
    for (const acl of ACLS) {
      this.admits(acl, minted, `Admin ${minted.answer.body.key}`, [scope, `${acl} of ${scope}`, this.scopes.keys]);
    }
    return true;
  }

  private get scopes() {
    return { sessions: `sessions of ${this.label}`, keys: `keys of ${this.label}` };
  }

  private grant(replica: Replica, acls: readonly string[]): PromiseLike<TestResponse> {
    const { root } = this.surroundings.cluster;
    return replica.as(root).put(`/v1/admin/users/${this.id}/acls`, { acls: [...ALWAYS, ...acls] });
  }

  private admits(
    acl: (typeof ACLS)[number],
    issued: AttemptResult,
    authorization: string,
    scopes: readonly string[],
  ): void {
    const { root } = this.surroundings.cluster;
    const path = acl === 'user:lookup' ? `/v1/admin/users/${root.id}` : '/v1/admin/audit-logs?limit=1';
    const credential = this.recorder.issue(acl, issued, [...scopes, `${acl} of ${this.label}`]);
    this.add({ credential, present: (replica) => replica.as(authorization).get(path) });
  }

  private async narrowOwner(): Promise<boolean> {
    const [kept, lost] = this.random.shuffled(ACLS) as [string, string];
    const narrowed = await this.revoked('an ACL taken from the owner', [`${lost} of ${this.label}`], (replica) =>
      this.grant(replica, [kept]),
    );
    this.mayGiveBack = narrowed.outcome === 'unknown';
    return true;
  }

  private async narrowKey(): Promise<boolean> {
    const { key } = this;
    if (!key) return false;
    const [kept, lost] = this.random.shuffled(ACLS);
    await this.revoked('an ACL taken from a key', [`${lost} of ${key.scope}`], (replica) =>
      replica.as(this.token).patch(`/v1/admin/api-keys/${key.id}`, { acls: [kept] }),
    );
    return true;
  }

  private async deleteKey(): Promise<boolean> {
    const { key } = this;
    if (!key) return false;
    await this.revoked('the end of a key', [key.scope], (replica) =>
      replica.as(this.token).delete(`/v1/admin/api-keys/${key.id}`),
    );
    return true;
  }

  /** Only one of the two, because a second change would restore what the first one removed. */
  protected readonly partialEnds: readonly Step[] = [
    this.random.chance(0.5) ? () => this.narrowOwner() : () => this.narrowKey(),
  ];

  private async ban(): Promise<boolean> {
    const { root } = this.surroundings.cluster;
    await this.revoked('ban', [this.scopes.sessions, this.scopes.keys], (replica) =>
      replica.as(root).put(`/v1/admin/users/${this.id}/ban`, { duration_hours: 0 }),
    );
    return true;
  }

  private async lockDown(): Promise<boolean> {
    const { sessions, keys } = this.scopes;
    const spares = this.own.map(({ credential }) => credential).filter(({ scopes }) => scopes.includes(this.session));
    await this.revoked(
      'lockdown',
      [sessions, keys],
      (replica) => replica.as(this.token).post('/v1/users/@me/lockdown', { password: `the password of ${this.label}` }),
      spares.map(({ id }) => id),
    );
    return true;
  }

  private async dismiss(): Promise<boolean> {
    if (this.mayGiveBack) return this.ban();
    const ends = ACLS.map((acl) => `${acl} of ${this.label}`);
    await this.revoked('all ACLs taken from the owner', ends, (replica) => this.grant(replica, []));
    return true;
  }

  protected readonly wholeEnds: readonly Step[] = [
    () => this.ban(),
    () => this.lockDown(),
    () => this.dismiss(),
    () => this.deleteKey(),
  ];
}
