import { PROXY, type Replica } from './cluster.js';
import type { Step } from './life.js';
import { pause } from './pause.js';
import { PersonLife } from './person-life.js';
import { type AttemptResult, now, type PresentedCredential } from './recorder.js';

/** How long a client waits for its report of a leak to be processed, which needs at least one replica. */
const REPORT_MS = 20_000;
const EXPIRES_IN_MS = 1000;
/** For documentation (RFC 5737). No request comes from it. */
const ANOTHER_NETWORK = '192.0.2.0/24';

/** A token that its owner can delete. */
interface Token {
  readonly id: string;
  readonly text: string;
  readonly presented: PresentedCredential;
}

/** An account with several personal access tokens, and an application with several bot tokens. */
export class TokenLife extends PersonLife {
  protected override readonly mostSteps = 8;
  private applicationId = '';
  private personalTokens: Token[] = [];
  private botTokens: Token[] = [];
  private leaks = 0;
  /** A report whose effect was not seen may still take effect, and its event could be taken for that of a later one. */
  private isReportOpen = false;

  private get botScope(): string {
    return `bot of ${this.label}`;
  }

  private get botPath(): string {
    return `/v1/oauth2/applications/${this.applicationId}/bot`;
  }

  protected async begin(): Promise<boolean> {
    if (!(await this.registered())) return false;
    await this.signIn();
    await this.register();
    for (const isBound of [false, false, false, true]) await this.createPersonalToken(isBound);
    await this.createBotToken();
    await this.createBotToken();
    await this.watch();
    return true;
  }

  private async register(): Promise<void> {
    const created = await this.done(this.asMe('/v1/oauth2/applications', { name: this.label }));
    if (!created) return;
    this.applicationId = created.answer.body.id;
    const listed = await this.done((replica) => replica.as(this.acting.token).get(`${this.botPath}/tokens`));
    const id = listed?.answer.body.tokens[0]?.id;
    if (id) this.addBotToken(created, id, created.answer.body.bot.token);
  }

  private addBotToken(issued: AttemptResult, id: string, text: string): void {
    const credential = this.recorder.issue('bot token', issued, [this.botScope]);
    const authorization = `Bot ${text}`;
    const presented = this.add({
      ...{ credential, authorization, gatewayToken: text },
      present: (replica) => replica.as(authorization).get('/v1/applications/@me'),
    });
    this.botTokens.push({ id, text, presented });
  }

  private async createBotToken(): Promise<boolean> {
    if (!this.applicationId) return false;
    const input = { name: 'another', password: this.password };
    const created = await this.done(this.asMe(`${this.botPath}/tokens`, input));
    if (created) this.addBotToken(created, created.answer.body.id, created.answer.body.token);
    return created !== null;
  }

  /** `isBound`: it works only from one IP address. */
  private async createPersonalToken(isBound: boolean): Promise<void> {
    const address = isBound ? this.surroundings.cluster.newAddress() : undefined;
    const networks = address ? [`${address}/32`] : [];
    const input = { name: 'script', scopes: ['identify'], networks, password: this.password };
    const created = await this.done(this.asMe('/v1/users/@me/access-tokens', input));
    if (!created) return;
    const { id, token: text } = created.answer.body;
    const credential = this.recorder.issue('personal access token', created, [this.scopes.tokens]);
    const authorization = `Bearer ${text}`;
    const headers = address && { 'x-forwarded-for': address };
    const presented = this.add({
      ...{ credential, authorization, address },
      present: (replica) => {
        const client = replica.as(authorization);
        return (headers ? client.from(PROXY).with(headers) : client).get('/v1/oauth2/userinfo');
      },
    });
    this.personalTokens.push({ id, text, presented });
  }

  private async deletePersonalToken(): Promise<boolean> {
    const token = this.personalTokens.shift();
    if (!token) return false;
    await this.revoked('the deletion of an access token', [token.presented.credential.id], (replica) =>
      replica.as(this.acting.token).delete(`/v1/users/@me/access-tokens/${token.id}`),
    );
    return true;
  }

  /** Shortens the lifetime of a token, so that it expires during the run. */
  private async expirePersonalToken(): Promise<boolean> {
    const token = this.personalTokens.shift();
    if (!token) return false;
    const { cluster } = this.surroundings;
    const { id } = token.presented.credential;
    await this.recorder.operate('expiration', [id], () => cluster.expireToken(token.id, EXPIRES_IN_MS), EXPIRES_IN_MS);
    await pause(EXPIRES_IN_MS);
    await this.pause();
    await this.recorder.use(this.anywhere, token.presented);
    return true;
  }

  private async narrowPersonalToken(): Promise<boolean> {
    const token = this.personalTokens.find(({ presented }) => presented.address);
    if (!token) return false;
    this.personalTokens = this.personalTokens.filter((one) => one !== token);
    const { cluster } = this.surroundings;
    const { id } = token.presented.credential;
    await this.recorder.operate('narrowed networks', [id], () => cluster.narrowToken(token.id, ANOTHER_NETWORK));
    return true;
  }

  private async reportOne(tokens: Token[]): Promise<boolean> {
    const token = this.isReportOpen ? undefined : tokens.shift();
    if (!token) return false;
    const { text, presented } = token;
    const reported = await this.recorder.report(this.anywhere, presented, text);
    this.isReportOpen = reported.outcome !== 'refused';
    if (reported.outcome === 'ok') void this.acknowledge(reported, presented);
    return true;
  }

  /** The first list of security events that contains the end of the token is an acknowledgment. */
  private async acknowledge({ start }: AttemptResult, { credential }: PresentedCredential): Promise<void> {
    const { history } = this.recorder;
    this.leaks++;
    for (const until = now() + REPORT_MS; now() < until && !this.surroundings.isOver(); await pause(100)) {
      const listed = await this.done((replica) => replica.as(this.acting.token).get('/v1/users/@me/security-events'));
      const events: { type: string }[] = listed?.answer.body ?? [];
      if (!listed || events.filter(({ type }) => type === 'credential_leaked').length < this.leaks) continue;
      const [kind, ends, outcome] = ['report of a leak', [credential.id], 'ok'] as const;
      history.revocations.push({ start, end: listed.end, outcome, kind, ends, spares: [] });
      this.isReportOpen = false;
      return;
    }
  }

  private async deleteBotToken(): Promise<boolean> {
    const [token, another] = this.botTokens;
    if (!(token && another)) return false;
    this.botTokens.shift();
    const { id } = token.presented.credential;
    const { replica: index } = await this.revoked('the deletion of a bot token', [id], (replica) =>
      replica.as(this.acting.token).delete(`${this.botPath}/tokens/${token.id}`, { password: this.password }),
    );
    const replica = this.surroundings.cluster.replicas[index] as Replica;
    for (const { presented } of this.botTokens) await this.recorder.use(replica, presented);
    return true;
  }

  /** Replaces a token without an interruption. */
  private async rotateBotToken(): Promise<boolean> {
    return (await this.createBotToken()) && this.deleteBotToken();
  }

  private async resetBot(): Promise<boolean> {
    if (!this.applicationId) return false;
    this.botTokens = [];
    const reset = this.asMe(`${this.botPath}/reset-token`, { password: this.password });
    const { outcome, answer: response, ...attempt } = await this.revoked('bot token reset', [this.botScope], reset);
    if (outcome === 'ok') this.addBotToken({ ...attempt, outcome, answer: response }, '', response?.body.token);
    return true;
  }

  protected readonly partialEnds: readonly Step[] = [
    () => this.deletePersonalToken(),
    () => this.expirePersonalToken(),
    () => this.narrowPersonalToken(),
    () => this.reportOne(this.personalTokens),
    () => this.reportOne(this.botTokens),
    () => this.deleteBotToken(),
    () => this.rotateBotToken(),
    () => this.resetBot(),
  ];

  private get all(): string[] {
    const { sessions, tokens } = this.scopes;
    return [sessions, tokens];
  }

  private async ban(): Promise<boolean> {
    const { root } = this.surroundings.cluster;
    await this.revoked('ban', this.all, (replica) =>
      replica.as(root).put(`/v1/admin/users/${this.id}/ban`, { duration_hours: 0 }),
    );
    return true;
  }

  private async lockDown(): Promise<boolean> {
    const { credential } = this.acting;
    const lockDown = this.asMe('/v1/users/@me/lockdown', { password: this.password });
    await this.revoked('lockdown', [...this.all, this.botScope], lockDown, [credential.id]);
    await this.pause();
    return this.terminate();
  }

  private async erase(): Promise<boolean> {
    const { cluster } = this.surroundings;
    await this.recorder.operate('erasure', [...this.all, this.botScope], () =>
      cluster.command('user', 'delete', this.id, '--yes'),
    );
    return true;
  }

  protected readonly wholeEnds: readonly Step[] = [() => this.ban(), () => this.lockDown(), () => this.erase()];
}
