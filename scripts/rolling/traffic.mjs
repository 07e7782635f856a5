import { ask, demand } from './ask.mjs';
import { GatewaySession } from './gateway-session.mjs';
import {
  authorisation,
  botApp,
  consent,
  describe,
  exchange,
  me,
  newApp,
  newHook,
  refresh,
  register,
  revokeToken,
  signIn,
} from './people.mjs';

/** The rounds that clients repeat without pause. Every response must be as expected here. */
const ROUNDS = {
  /** Signs in, reads the account, changes the profile and signs out. */
  async visitor({ front, ledger }, { ada }) {
    const token = await signIn(front, ada);
    demand((await me(front, token)).id === ada.id, 'GET /v1/users/@me told of somebody else');
    await ledger.change(front, ada, token);
    const sessions = await ask(front, 200, 'GET', '/v1/auth/sessions', { as: token });
    demand(sessions.filter(({ current }) => current).length === 1, 'the list of sessions does not show this one');
    await ask(front, 204, 'POST', '/v1/auth/logout', { as: token });
    await ledger.dead(front, 'a session that signed out', token);
  },

  /** Ends a session on another device. */
  async devices({ front, ledger }, { ben }) {
    const [here, there] = [await signIn(front, ben), await signIn(front, ben)];
    const list = () => ask(front, 200, 'GET', '/v1/auth/sessions', { as: here });
    const other = (await ask(front, 200, 'GET', '/v1/auth/sessions', { as: there })).find(({ current }) => current);
    const body = { session_id_hashes: [other.id_hash], password: ben.password };
    await ask(front, 204, 'POST', '/v1/auth/sessions/logout', { as: here, body });
    demand(!(await list()).some(({ id_hash }) => id_hash === other.id_hash), 'the list shows a session that was ended');
    await ledger.dead(front, 'a session that another one ended', there);
    await ask(front, 204, 'POST', '/v1/auth/logout', { as: here });
  },

  /** Runs an OAuth2 grant: code, tokens, refresh and revocation. */
  async grant({ front, ledger }, { cleo, app }) {
    const code = await consent(front, cleo.token, app);
    const first = await exchange(front, app, code);
    await authorisation(front, first);
    const second = await refresh(front, app, first.refresh_token);
    await authorisation(front, second);
    await revokeToken(front, app, second.access_token);
    for (const { access_token } of [first, second]) {
      await ledger.dead(front, 'a revoked access token', `Bearer ${access_token}`);
    }
    await refresh(front, app, second.refresh_token, 400);
    await exchange(front, app, code, 400);
  },

  /** Registers, and changes the password. */
  async newcomer({ front, ledger }) {
    const person = await register(front, 'newcomer');
    const new_password = `${person.password} more`;
    const body = { password: person.password, new_password };
    const { token } = await ask(front, 200, 'PATCH', '/v1/users/@me', { as: person.token, body });
    await ledger.dead(front, 'a session from before a change of the password', person.token);
    await me(front, token);
    const changed = { ...person, password: new_password };
    await ask(front, 400, 'POST', '/v1/auth/login', { body: { email: person.email, password: person.password } });
    await ledger.change(front, changed, await signIn(front, changed));
  },

  /** Changes a profile. The gateway reports each change, and its session survives every socket. */
  async listener({ front, ledger, round }, { dora, session }) {
    const name = await ledger.change(front, dora, dora.token);
    await session.heard('USER_UPDATE', (d) => d.global_name === name);
    demand(session.faults.length === 0, session.faults.splice(0).join('; '));
    if (round % 3 === 0) await session.resumeAt(front);
  },

  /** Uses the credentials that were created at the start. */
  async regular({ front }, { eve, tokens, eveApp, hook }) {
    demand((await me(front, eve.token)).id === eve.id, 'GET /v1/users/@me told of somebody else');
    await authorisation(front, tokens);
    await botApp(front, eveApp.bot);
    await ask(front, 200, 'GET', hook.path);
  },
};

const numberOf = (name) => Number(/^version (\d+)$/.exec(name)?.[1]);

/** Everything that the service has acknowledged. It must be true on every replica at any later time. */
class Ledger {
  #dead = [];
  #told = new Map();
  #changes = 0;

  async dead(front, what, authorization) {
    await me(front, authorization, 401);
    this.#dead.push({ what, authorization });
  }

  /** Changes a profile and reads it. Returns the new name. */
  async change(front, { id }, token) {
    const name = `version ${++this.#changes}`;
    demand(
      (await describe(front, token, name)).global_name === name,
      'a change of the profile was answered with something else',
    );
    demand((await me(front, token)).global_name === name, 'a change of the profile was lost');
    this.#told.set(id, name);
    return name;
  }

  get size() {
    return { revocations: this.#dead.length, changes: this.#changes };
  }

  /** Checks on one replica that everything acknowledged is still true. A profile may already have a later change. */
  async holdAt(replica, root, newest = Number.POSITIVE_INFINITY) {
    const dead = this.#dead.slice(-newest);
    const look = async () => {
      for (let one = dead.pop(); one; one = dead.pop()) {
        const { what, authorization } = one;
        await me(replica, authorization, 401).catch(({ message }) => demand(false, `${what} is alive: ${message}`));
      }
    };
    await Promise.all(Array.from({ length: 8 }, look));
    for (const [id, told] of [...this.#told]) {
      const { users } = await ask(replica, 200, 'GET', `/v1/admin/users/${id}`, { as: root.token });
      demand(
        numberOf(users[0].global_name) >= numberOf(told),
        `${replica.name} shows ${users[0].global_name} after ${told}`,
      );
    }
  }
}

/** Clients that send requests without pause until they are stopped. */
export class Traffic {
  ledger = new Ledger();
  faults = [];
  #rounds = new Map(Object.keys(ROUNDS).map((name) => [name, 0]));
  #isOver = false;
  #lives = [];
  #wake = () => {};

  constructor(front) {
    this.front = front;
  }

  async begin() {
    const { front } = this;
    const [ada, ben, cleo, dora, eve] = await Promise.all(
      ['ada', 'ben', 'cleo', 'dora', 'eve'].map((name) => register(front, name)),
    );
    const eveApp = await newApp(front, eve.token);
    this.cast = {
      ...{ ada, ben, cleo, dora, eve, eveApp },
      app: await newApp(front, eve.token),
      hook: await newHook(front, eve.token),
      tokens: await exchange(front, eveApp, await consent(front, eve.token, eveApp)),
      session: await GatewaySession.started(front, dora.token),
    };
    this.#go();
  }

  #go() {
    this.#isOver = false;
    this.#lives = Object.entries(ROUNDS).map(([name, round]) => this.#live(name, round));
  }

  async #live(name, work) {
    while (!this.#isOver) {
      const round = this.#rounds.get(name);
      await work({ front: this.front, ledger: this.ledger, round }, this.cast).catch(({ message }) =>
        this.faults.push(`${name}: ${message}`),
      );
      this.#rounds.set(name, round + 1);
      this.#wake();
    }
  }

  /** Waits until every client has completed `count` more rounds from start to end. */
  async rounds(count) {
    const goals = new Map([...this.#rounds].map(([name, done]) => [name, done + count + 1]));
    const isDone = () => [...goals].every(([name, goal]) => this.#rounds.get(name) >= goal);
    await new Promise((resolve) => {
      this.#wake = () => isDone() && resolve();
    });
  }

  /** Lets every client finish its round, and closes the gateway session. */
  async leave() {
    this.#isOver = true;
    await Promise.all(this.#lives);
    this.cast.session.close();
  }

  async comeBack() {
    this.cast.session = await GatewaySession.started(this.front, this.cast.dora.token);
    this.#go();
  }
}
