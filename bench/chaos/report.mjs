import { markdown } from '../lib.mjs';

const list = (faults) => (faults.length > 0 ? faults.slice(0, 20).join('; ') : 'kept');

/** Every promise with its violations. There are none if the promise was kept. */
export function verdicts(run) {
  const { ledger, mail, events, files, leaks, readiness, alerts, unexpected } = run;
  const wrong = (judged) =>
    judged.flatMap(({ name, at, wrong: what }) => what.map((one) => `${name} at ${at} s: ${one}`));
  return [
    ['nothing acknowledged is lost', [...ledger.lost, ...mail.lost, ...events.lost, ...files]],
    ['nothing is doubled', [...ledger.doubled, ...mail.doubled, ...events.doubled]],
    ['nothing revoked comes back', ledger.revived],
    [
      'nothing leaks',
      leaks
        .filter(({ isHeld }) => !isHeld)
        .map(
          ({ name, replica, before, after }) =>
            `${name} of replica ${replica}: ${before.toFixed(1)}, then ${after.toFixed(1)}`,
        ),
    ],
    ['readiness is as the guide says', wrong(readiness)],
    ['alerts are as the guide says', wrong(alerts)],
    ['every answer is explained', unexpected],
  ].map(([name, faults]) => ({ name, faults }));
}

export function report(run) {
  const { machine, seconds, seed, rate, faults, done, counts, mail, leaks } = run;
  const judged = verdicts(run);
  const kinds = [...new Set(faults.map(({ name }) => name))].sort();
  const rows = kinds.map((name) => {
    const own = faults.filter((fault) => fault.name === name);
    const longest = (from, to) => Math.max(...own.map((fault) => (fault[to] - fault[from]) / 1000)).toFixed(1);
    const expected = run.readiness.find((one) => one.name === name).expected;
    const alerts = run.alerts.find((one) => one.name === name).expected.join(', ') || 'none';
    return [name, own.length, longest('start', 'end'), longest('end', 'whole'), expected, alerts];
  });
  const worst = [...new Set(leaks.map(({ name }) => name))].map((name) => {
    const own = leaks.filter((leak) => leak.name === name);
    const most = own.reduce((a, b) => (b.after - b.before > a.after - a.before ? b : a));
    return [most.name, ...[most.before, most.after, most.bound].map((value) => value.toFixed(1))];
  });
  return `# Chaos

${run.date}, ${machine}. ${seconds} s at ${rate} operations a second, seed ${seed}, load average ${run.load}. Three replicas, one
PostgreSQL ${run.postgres} with a standby, one Redis, one mail server, one disk for media of ${run.diskMib} MiB.

The standby is named in \`synchronous_standby_names\` with \`synchronous_commit=on\`: no commit is answered before the standby has it, so
that a failover has nothing to lose. From a failover until the next standby has its copy the new primary answers alone, and no
fault comes in that time. With a standby that lags a failover loses what it has not got, whatever the service does.

${markdown([['promise', 'broken'], ...judged.map(({ name, faults: broken }) => [name, broken.length])])}

${judged.map(({ name, faults: broken }) => `- ${name}: ${list(broken)}`).join('\n')}

${markdown([['fault', 'times', 'longest, s', 'whole after, s', 'readiness', 'alerts that move'], ...rows])}

"whole": every replica is ready, every client of the gateway has its session, and a standby is in step. An alert moves where the
number below it does; its time (\`for\`) and the 300 s of \`GatehouseMailWaits\` are longer than these faults.

${markdown([['what was held against the ledger', ''], ...Object.entries(counts)])}

Mail is sent at least once: ${mail.repeated} of ${mail.count} messages came again under their \`Message-ID\`, by which a receiver knows them.

${markdown([['at rest, the replica that grew most', 'start', 'end', 'may grow by'], ...worst])}

${markdown([['operation', 'begun'], ...Object.entries(done)])}
`;
}
