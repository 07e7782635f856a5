import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
const SRC = join(ROOT, 'src');
const REGISTRATIONS = new Set(['on', 'once', 'addListener', 'prependListener', 'addEventListener']);

/** Why an exception in an event handler does not end the process. */
const NOTICE = 'ReplicaBus logs the error and calls the other handlers (conventions-5-last-errors.e2e-spec.ts)';
const ORDER = 'the error of a handler is reported (test below)';
const REQUEST = 'the front door logs the error and responds (conventions-5-last-errors.e2e-spec.ts)';
const CATCHES = 'the handler catches every error of the code that it calls';
const PLAIN = 'the handler only sets variables, settles a promise, or closes a stream, a connection or a timer';
const RESPONDS = 'the handler writes a fixed response or frame, without data of the caller';
const BROWSER = 'the script of a page';
const OWN_PROCESS = 'the process exists only for this work, and another process replaces it';

/** The events that each source listens to, by reason. A source or event that is not listed fails the test. */
const HANDLERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'accounts/accounts.module.ts': { [NOTICE]: 'instance' },
  'auth/connections/connections.service.ts': { [NOTICE]: 'TOPIC resync' },
  'auth/factors/decoy-accounts.service.ts': { [NOTICE]: 'decoys resync' },
  'bans/ip-bans.service.ts': { [NOTICE]: 'ip-ban resync' },
  'workers/primary.ts': { [PLAIN]: 'SIGHUP error exit exit exit message signal' },
  'core/uncaught-errors.ts': { [CATCHES]: 'uncaughtException unhandledRejection' },
  'core/workers/own-worker.ts': { [PLAIN]: 'disconnect', [ORDER]: 'disconnect message' },
  'decisions/policy-versions.service.ts': { [NOTICE]: 'DECISION_TOPIC resync' },
  'decisions/revocation-streams.service.ts': { [NOTICE]: 'gap rewound', [PLAIN]: 'close' },
  'gateway/credentials.service.ts': { [NOTICE]: 'resync revoked' },
  'gateway/gateway.adapter.ts': { [RESPONDS]: 'upgrade wsClientError', [CATCHES]: 'close error message' },
  'gateway/sessions/events.service.ts': { [NOTICE]: 'event gap rewound' },
  'http/adapter.ts': { [REQUEST]: 'checkContinue checkExpectation' },
  'http/body.ts': { [PLAIN]: 'close close close data data end end end error' },
  'http/framing.ts': { [PLAIN]: 'data', [RESPONDS]: 'end' },
  'http/front-door/connection-registry.ts': {
    [REQUEST]: 'connection',
    [PLAIN]: 'error',
    [RESPONDS]: 'clientError connect finish',
  },
  'http/front-door/front-door.ts': { [REQUEST]: 'close', [PLAIN]: 'error', [RESPONDS]: 'finish' },
  'http/live-requests.ts': { [PLAIN]: 'close resume' },
  'media/delivery/body-streams.ts': { [PLAIN]: 'close close close' },
  'media/delivery/delivery.ts': { [PLAIN]: 'error' },
  'media/external/external.service.ts': { [PLAIN]: 'close' },
  'media/images/decoder-process.mjs': { [OWN_PROCESS]: 'disconnect message signal' },
  'media/images/decoder.ts': { [PLAIN]: 'abort data error error exit message' },
  'media/images/image-slots.ts': { [PLAIN]: 'abort' },
  'media/images/spools.ts': { [PLAIN]: 'abort' },
  'media/images/transforms.service.ts': { [PLAIN]: 'abort close' },
  'oauth/openid/backchannel-logouts.service.ts': { [NOTICE]: 'revoked' },
  'pipeline/response-watch.ts': { [PLAIN]: 'close' },
  'platform/database/directory-lock.ts': { [PLAIN]: 'data end error error error' },
  'platform/database/hosts.ts': { [PLAIN]: 'error' },
  'platform/database/server-connections.ts': { [PLAIN]: 'close error notice' },
  'platform/dependencies/database-tests.ts': { [PLAIN]: 'notification' },
  'platform/dependencies/redis-tests.ts': { [PLAIN]: 'message' },
  'platform/instance/instance.ts': { [NOTICE]: 'instance resync' },
  'platform/jobs/job-runner.service.ts': { [PLAIN]: 'abort' },
  'platform/outbound/outbound.ts': { [PLAIN]: 'close close error error' },
  'platform/replicas/database-monitor.ts': { [PLAIN]: 'end error' },
  'platform/replicas/notice-connection.ts': { [PLAIN]: 'end error notification' },
  'platform/replicas/redis-hints.ts': { [CATCHES]: 'message ready' },
  'platform/replicas/replica-drain.ts': { [NOTICE]: 'drain' },
  'platform/storage/storage-s3.ts': { [PLAIN]: 'close' },
  'platform/store/redis-outages.service.ts': { [PLAIN]: 'close ready' },
  'platform/store/redis-client.ts': { [PLAIN]: '+node end error ready ready' },
  'run.ts': { [PLAIN]: 'signal signal' },
  'service/metrics-server.ts': { [PLAIN]: 'error' },
  'service/wait-for-database.ts': { [PLAIN]: 'SIGINT SIGTERM error' },
  'service/static/start.js': { [BROWSER]: 'change' },
  'users/security/own-export.service.ts': { [PLAIN]: 'close' },
  'webhooks/message-files.service.ts': { [PLAIN]: 'data' },
  'webhooks/message-form.ts': { [CATCHES]: 'close field file', [PLAIN]: 'error error error partsLimit' },
};

/** The events that a source listens to, in the order of the alphabet. A variable stands for its events. */
function eventsIn(text: string): string[] {
  const events: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [event, handler] = node.arguments;
      if (REGISTRATIONS.has(node.expression.name.text) && event && handler) {
        events.push(ts.isStringLiteralLike(event) ? event.text : event.getText());
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true));
  return events.sort();
}

const isSource = (name: string): boolean =>
  /\.[cm]?[tj]s$/.test(name) && !name.endsWith('.spec.ts') && !name.includes('templates/');

test('every event handler of the service is listed, with the reason why an exception in it does not end the process', () => {
  const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(isSource);
  const found = sources
    .map((name) => [name, eventsIn(readFileSync(join(SRC, name), 'utf8'))] as const)
    .filter(([, events]) => events.length > 0);
  const listed = Object.entries(HANDLERS).map(([name, reasons]) => [
    name,
    Object.values(reasons)
      .flatMap((events) => events.split(' '))
      .sort(),
  ]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed));
});

test('an event handler that is not listed is found, whatever registers it', () => {
  expect(eventsIn("a.on('b', c); d?.once(`e`, () => {}); f.addEventListener(g, h); i.on(j); k.of('l', m);")).toEqual([
    ...['b', 'e', 'g'],
  ]);
});

test('a worker whose order handlers fail reports each error and continues until its primary exits', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'test/fixtures/workers/failing.mjs')], {
    encoding: 'utf8',
  });
  const lines = stdout.trimEnd().split('\n');
  expect([stderr, lines.map((line) => JSON.parse(line))]).toEqual([
    '',
    [
      ...[{ failed: 'end failed' }, { failed: 'retire failed' }, { failed: 'report failed' }, { failed: 'end failed' }],
      { exit: 0, signal: null },
    ],
  ]);
});
