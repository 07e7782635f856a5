/**
 * JSON schemas of the manifests. They allow only the members that the manifests use, so a misspelled one fails here. A
 * cluster would ignore or reject it. Pods must fit the "restricted" profile of Pod Security.
 */
type Schema = Record<string, unknown>;

const strict = (properties: Record<string, Schema>, required = Object.keys(properties)): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const list = (items: Schema, minItems = 1): Schema => ({ type: 'array', items, minItems });
const only = (value: unknown): Schema => ({ const: value });
const text: Schema = { type: 'string', minLength: 1 };
const whole = (minimum: number, maximum = 1_000_000): Schema => ({ type: 'integer', minimum, maximum });
const name: Schema = { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' };
const port: Schema = { anyOf: [whole(1, 65535), name] };
const quantity: Schema = { type: 'string', pattern: '^[1-9][0-9]*(m|Ki|Mi|Gi|Ti)?$' };
const labels: Schema = { type: 'object', additionalProperties: text, minProperties: 1 };
const metadata = strict({ name, namespace: name }, ['name']);

/** Slow responses under load must not end a process, so a probe has more than one second and more than one try. */
const probe = strict({
  httpGet: strict({ path: { enum: ['/health/live', '/health/ready'] }, port }),
  periodSeconds: whole(1, 60),
  timeoutSeconds: whole(2, 30),
  failureThreshold: whole(2, 600),
});

const container = strict(
  {
    name,
    image: text,
    command: list(text),
    ports: list(strict({ name, containerPort: whole(1, 65535) })),
    env: list(strict({ name: text, valueFrom: strict({ secretKeyRef: strict({ name, key: text }) }) })),
    envFrom: list({ oneOf: [strict({ configMapRef: strict({ name }) }), strict({ secretRef: strict({ name }) })] }),
    startupProbe: probe,
    readinessProbe: probe,
    livenessProbe: probe,
    resources: strict({
      requests: strict({ cpu: quantity, memory: quantity }),
      limits: strict({ memory: quantity }),
    }),
    securityContext: strict({
      allowPrivilegeEscalation: only(false),
      readOnlyRootFilesystem: only(true),
      capabilities: strict({ drop: only(['ALL']) }),
    }),
    volumeMounts: list(strict({ name, mountPath: { type: 'string', pattern: '^/' } })),
  },
  ['name', 'image', 'envFrom', 'resources', 'securityContext', 'volumeMounts'],
);

const selector = strict({ matchLabels: labels });

const pod = strict({
  metadata: strict({ labels }),
  spec: strict(
    {
      restartPolicy: { enum: ['OnFailure', 'Never'] },
      terminationGracePeriodSeconds: whole(0, 3600),
      topologySpreadConstraints: list(
        strict({
          maxSkew: whole(1, 100),
          topologyKey: text,
          whenUnsatisfiable: { enum: ['ScheduleAnyway', 'DoNotSchedule'] },
          labelSelector: selector,
        }),
      ),
      automountServiceAccountToken: only(false),
      securityContext: strict(
        {
          runAsNonRoot: only(true),
          runAsUser: only(1000),
          runAsGroup: only(1000),
          fsGroup: only(1000),
          fsGroupChangePolicy: only('OnRootMismatch'),
          seccompProfile: strict({ type: only('RuntimeDefault') }),
        },
        ['runAsNonRoot', 'runAsUser', 'runAsGroup', 'seccompProfile'],
      ),
      containers: list(container),
      volumes: list({
        oneOf: [
          strict({ name, emptyDir: strict({ sizeLimit: quantity }, []) }),
          strict({ name, persistentVolumeClaim: strict({ claimName: name }) }),
        ],
      }),
    },
    ['automountServiceAccountToken', 'securityContext', 'containers'],
  ),
});

const protocol: Schema = { enum: ['TCP', 'UDP'] };
const cidr: Schema = { type: 'string', pattern: '^[0-9a-f.:]+/[0-9]{1,3}$' };
const peers = list({
  oneOf: [strict({ namespaceSelector: selector }), strict({ ipBlock: strict({ cidr, except: list(cidr) }, ['cidr']) })],
});
const policyPorts = list(strict({ protocol, port }));

const kind = (apiVersion: string, of: string, rest: Record<string, Schema>): Schema =>
  strict({ apiVersion: only(apiVersion), kind: only(of), metadata, ...rest });

export const KINDS: Readonly<Record<string, Schema>> = {
  ConfigMap: kind('v1', 'ConfigMap', {
    data: { type: 'object', additionalProperties: { type: 'string' }, propertyNames: { pattern: '^[A-Z][A-Z0-9_]*$' } },
  }),
  Job: kind('batch/v1', 'Job', {
    spec: strict({ backoffLimit: whole(0, 100), ttlSecondsAfterFinished: whole(0), template: pod }),
  }),
  Deployment: kind('apps/v1', 'Deployment', {
    spec: strict({
      strategy: strict({
        type: only('RollingUpdate'),
        rollingUpdate: strict({ maxUnavailable: whole(0, 100), maxSurge: whole(0, 100) }),
      }),
      selector,
      template: pod,
    }),
  }),
  Service: kind('v1', 'Service', {
    spec: strict({ selector: labels, ports: list(strict({ name, port: whole(1, 65535), targetPort: port })) }),
  }),
  PodDisruptionBudget: kind('policy/v1', 'PodDisruptionBudget', {
    spec: strict({ minAvailable: whole(1, 100), selector }),
  }),
  HorizontalPodAutoscaler: kind('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: strict({
      scaleTargetRef: strict({ apiVersion: only('apps/v1'), kind: only('Deployment'), name }),
      minReplicas: whole(1, 100),
      maxReplicas: whole(1, 1000),
      metrics: list(
        strict({
          type: only('Resource'),
          resource: strict({
            name: { enum: ['cpu', 'memory'] },
            target: strict({ type: only('Utilization'), averageUtilization: whole(1, 100) }),
          }),
        }),
      ),
    }),
  }),
  Ingress: kind('networking.k8s.io/v1', 'Ingress', {
    spec: strict({
      tls: list(strict({ hosts: list(text), secretName: name })),
      rules: list(
        strict({
          host: text,
          http: strict({
            paths: list(
              strict({
                path: { type: 'string', pattern: '^/' },
                pathType: { enum: ['Prefix', 'Exact'] },
                backend: strict({ service: strict({ name, port: strict({ name }) }) }),
              }),
            ),
          }),
        }),
      ),
    }),
  }),
  NetworkPolicy: kind('networking.k8s.io/v1', 'NetworkPolicy', {
    spec: strict(
      {
        podSelector: selector,
        policyTypes: only(['Ingress', 'Egress']),
        ingress: list(strict({ from: peers, ports: policyPorts })),
        egress: list(strict({ to: peers, ports: policyPorts }, [])),
      },
      ['podSelector', 'policyTypes', 'egress'],
    ),
  }),
  Secret: kind('v1', 'Secret', { type: only('Opaque'), data: { type: 'object', additionalProperties: text } }),
  PersistentVolumeClaim: kind('v1', 'PersistentVolumeClaim', {
    spec: strict({
      accessModes: list({ enum: ['ReadWriteOnce', 'ReadWriteMany', 'ReadOnlyMany', 'ReadWriteOncePod'] }),
      resources: strict({ requests: strict({ storage: quantity }) }),
    }),
  }),
};
