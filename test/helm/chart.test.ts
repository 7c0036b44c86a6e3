import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allSchema } from '../../packages/cli/src/settings.ts';
import { addresses, chart, helm, kubernetes, type Manifest, render, withValues } from './chart.ts';
import { decodeStrictly } from './decode.ts';

const services = ['audit-writer', 'console', 'decision', 'deposit-ingest', 'risk-api', 'scoring', 'withdrawal-gate'];

/** Every optional part. */
const everything = {
  ...addresses,
  image: { repository: 'registry.example/weir', digest: `sha256:${'a'.repeat(64)}`, pullSecrets: [{ name: 'registry' }] },
  ca: { configMap: 'authority' },
  settings: { WEIR_TRUSTED_PROXIES: '10.0.0.0/8', WEIR_TOKEN_PER_SECOND: 500, WEIR_PRIVACY_EARLY_ERASURE: false },
  policy: 'version: 1\n',
  services: {
    scoring: {
      replicas: 3,
      autoscaling: { minReplicas: 2, maxReplicas: 6, lag: 500 },
      settings: { WEIR_UPSTREAM_URL: 'https://risk.example' },
    },
    console: { autoscaling: { minReplicas: 2, maxReplicas: 4, cpu: 70 }, existingSecret: 'console-of-ours' },
    decision: { nodeSelector: { pool: 'payments' }, tolerations: [{ key: 'payments', operator: 'Exists' }] },
  },
  autoscaling: { kind: 'keda' },
  toolbox: { enabled: true },
  schedules: { doctor: { cron: '15 */6 * * *', command: ['doctor'] } },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true },
  dashboards: { enabled: true },
};

/** An HPA scales on cpu alone. */
const withHpa = {
  ...everything,
  autoscaling: { kind: 'hpa' },
  services: { ...everything.services, scoring: { autoscaling: { minReplicas: 2, maxReplicas: 6, cpu: 70 } } },
};

const named = (manifests: readonly Manifest[], kind: string, name: string): Manifest => {
  const found = manifests.filter((each) => each.kind === kind && each.metadata.name === name);
  expect(found, `${kind} ${name}`).toHaveLength(1);
  return found[0] as Manifest;
};
const names = (manifests: readonly Manifest[], kind: string): string[] =>
  manifests
    .filter((each) => each.kind === kind)
    .map(({ metadata }) => metadata.name)
    .sort();
const podOf = ({ kind, spec }: Manifest): Record<string, any> | undefined =>
  kind === 'CronJob'
    ? spec?.['jobTemplate'].spec.template.spec
    : ['Deployment', 'Job'].includes(kind)
      ? spec?.['template'].spec
      : undefined;
const environmentOf = (manifest: Manifest): Record<string, string> =>
  Object.fromEntries(podOf(manifest)?.['containers'][0].env.map(({ name, value }: { name: string; value: string }) => [name, value]));

test.each<[string, object]>([
  ['the least values', addresses],
  ['every part', everything],
  ['an HPA', withHpa],
])('Helm lints the chart strictly, and Kubernetes decodes each object: %s', async (_title, values) => {
  await withValues(values, (file) => helm('lint', '--strict', '--kube-version', kubernetes, chart, '--values', file));
  const manifests = await render(values);
  expect(await decodeStrictly(manifests)).toEqual([]);
  const ids = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(ids.length).toBe(new Set(ids).size);
});

test('an unknown field and a wrong type are found by the decoder', async () => {
  const [deployment] = (await render(addresses)).filter(({ kind }) => kind === 'Deployment');
  const wrong = [
    { ...deployment, spec: { ...deployment?.spec, replicaz: 2 } },
    { ...deployment, spec: { ...deployment?.spec, replicas: 'two' } },
    {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'ServiceMonitor',
      metadata: { name: 'm' },
      spec: { selector: {}, endpoints: [{ prt: 'http' }] },
    },
  ];
  expect((await decodeStrictly(wrong as never)).map((problem) => problem.replace(/^.*?: /, ''))).toEqual([
    expect.stringContaining('unknown field "spec.replicaz"'),
    expect.stringContaining('replicas'),
    expect.stringContaining('unknown field "spec.endpoints[0].prt"'),
  ]);
});

test('each service is a deployment with a service, a disruption budget and a network policy', async () => {
  const manifests = await render(addresses);
  const all = services.map((service) => `weir-${service}`);
  for (const kind of ['Service', 'PodDisruptionBudget']) expect(names(manifests, kind)).toEqual(all);
  expect(names(manifests, 'Deployment')).toEqual([...all, 'weir-lists'].sort());
  expect(names(manifests, 'NetworkPolicy')).toEqual([...all, 'weir-lists', 'weir-schedule', 'weir-setup', 'weir-toolbox'].sort());
  expect(names(manifests, 'Job')).toEqual(['weir-setup']);
  expect(names(manifests, 'CronJob')).toEqual(['weir-privacy-expire']);
  expect(names(manifests, 'PersistentVolumeClaim')).toEqual(['weir-audit-writer', 'weir-withdrawal-gate']);
  expect(names(manifests, 'Secret')).toEqual([]);
  for (const kind of ['HorizontalPodAutoscaler', 'ServiceMonitor', 'PrometheusRule', 'ConfigMap'])
    expect(names(manifests, kind)).toEqual([]);
});

test('the follower of chains is off until it is enabled, and then a deployment with a way out and no callers', async () => {
  const followed = { ...addresses, services: { 'chain-follower': { enabled: true } } };
  await withValues(followed, (file) => helm('lint', '--strict', '--kube-version', kubernetes, chart, '--values', file));
  const manifests = await render(followed);
  expect(await decodeStrictly(manifests)).toEqual([]);
  expect(names(manifests, 'Deployment')).toEqual([...services, 'chain-follower', 'lists'].map((name) => `weir-${name}`).sort());
  const deployment = named(manifests, 'Deployment', 'weir-chain-follower');
  expect(deployment.spec).toMatchObject({ replicas: 1 });
  expect(podOf(deployment)?.['containers'][0]).toMatchObject({
    command: ['node', 'services/chain-follower/src/main.ts'],
    envFrom: [{ secretRef: { name: 'weir-shared' } }, { secretRef: { name: 'weir-chain-follower' } }],
  });
  expect(JSON.stringify(named(manifests, 'NetworkPolicy', 'weir-chain-follower').spec?.['egress'])).toContain('0.0.0.0/0');
});

test('each pod fits the Pod Security Standard restricted, with a read-only root and resources', async () => {
  const pods = (await render(everything)).flatMap((manifest) => podOf(manifest) ?? []);
  expect(pods.length).toBe(services.length + 5);
  for (const pod of pods) {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1_000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(pod['volumes'].every((volume: object) => !('hostPath' in volume))).toBe(true);
    for (const container of [...(pod['initContainers'] ?? []), ...pod['containers']]) {
      expect(container).toMatchObject({
        image: `registry.example/weir@sha256:${'a'.repeat(64)}`,
        securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        resources: { requests: { cpu: expect.any(String), memory: expect.any(String) }, limits: { memory: expect.any(String) } },
      });
    }
  }
});

test('each service has its three probes, time to finish, and spreads over zones and nodes', async () => {
  const manifests = await render(addresses);
  for (const service of services) {
    const pod = podOf(named(manifests, 'Deployment', `weir-${service}`)) ?? {};
    expect(pod).toMatchObject({ terminationGracePeriodSeconds: 45, serviceAccountName: 'weir' });
    expect(pod['topologySpreadConstraints'].map(({ topologyKey }: { topologyKey: string }) => topologyKey)).toEqual([
      'topology.kubernetes.io/zone',
      'kubernetes.io/hostname',
    ]);
    expect(pod['containers'][0]).toMatchObject({
      command: ['node', `services/${service}/src/main.ts`],
      startupProbe: { httpGet: { path: '/healthz', port: 'http' } },
      livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
      readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
      lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } },
    });
  }
});

test('a service reads the shared Secret and its own, and no secret stands in a manifest', async () => {
  const manifests = await render(everything);
  const secretsOf = (name: string): string[] =>
    podOf(named(manifests, 'Deployment', name))?.['containers'][0].envFrom.map((source: any) => source.secretRef.name);
  expect(secretsOf('weir-decision')).toEqual(['weir-shared', 'weir-decision']);
  expect(secretsOf('weir-console')).toEqual(['weir-shared', 'console-of-ours']);
  for (const name of ['weir-toolbox', 'weir-lists']) expect(secretsOf(name)).toEqual(['weir-shared', 'weir-operator']);
});

test('the schema of the values refuses exactly the settings that hold secrets', async () => {
  const { definitions } = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')) as {
    definitions: { secrets: { enum: string[] } };
  };
  const sensitive = (Object.values(allSchema) as { env: string; sensitive?: boolean }[]).filter((entry) => entry.sensitive === true);
  expect(definitions.secrets.enum).toEqual(sensitive.map(({ env }) => env).sort());
});

test('settings of a service go before those of all, and the addresses reach the services that need them', async () => {
  const manifests = await render({
    ...everything,
    services: { ...everything.services, decision: { settings: { WEIR_TOKEN_PER_SECOND: 7 } } },
  });
  const environment = (service: string): Record<string, string> => environmentOf(named(manifests, 'Deployment', `weir-${service}`));
  const kafka = {
    KAFKA_BROKERS: 'kafka-0:9093,kafka-1:9093',
    KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
    KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
    KAFKA_SSL_CA_FILE: '/etc/weir/ca/ca.crt',
    SCHEMA_REGISTRY_URL: 'https://registry:8081',
  };
  const common = { NODE_EXTRA_CA_CERTS: '/etc/weir/ca/ca.crt', WEIR_TRUSTED_PROXIES: '10.0.0.0/8', WEIR_PRIVACY_EARLY_ERASURE: 'false' };
  expect(environment('decision')).toEqual({
    ...kafka,
    ...common,
    WEIR_TOKEN_PER_SECOND: '7',
    WEIR_POLICY_FILE: '/etc/weir/policy/policy.yaml',
  });
  expect(environment('risk-api')).toEqual({ ...common, WEIR_TOKEN_PER_SECOND: '500' });
  expect(environment('scoring')).toMatchObject({ ...kafka, WEIR_UPSTREAM_URL: 'https://risk.example', WEIR_UPSTREAM_KEY_IN: 'header' });
  expect(environment('audit-writer')['WEIR_AUDIT_DIR']).toBe('/var/lib/weir');
  expect(environment('withdrawal-gate')['WEIR_PERMIT_JOURNAL']).toBe('/var/lib/weir');
  const known = new Set((Object.values(allSchema) as { env: string }[]).map(({ env }) => env));
  const unknown = manifests
    .filter((each) => podOf(each))
    .flatMap((each) => Object.keys(environmentOf(each)))
    .filter((name) => !known.has(name));
  expect(new Set(unknown)).toEqual(new Set(['NODE_EXTRA_CA_CERTS']));
});

test('numbers in the values reach the services in digits', async () => {
  const manifests = await render({
    ...addresses,
    settings: { WEIR_LOG_RETENTION_MS: 604_800_000, WEIR_LIST_INTERVAL_MS: 86_400_000, OTEL_TRACES_SAMPLER_ARG: 0.25 },
    services: { decision: { settings: { WEIR_TOKEN_PER_SECOND: 1_000_000 } } },
  });
  expect(environmentOf(named(manifests, 'Deployment', 'weir-decision'))).toMatchObject({
    WEIR_LOG_RETENTION_MS: '604800000',
    WEIR_LIST_INTERVAL_MS: '86400000',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    WEIR_TOKEN_PER_SECOND: '1000000',
  });
});

test('scoring asks the risk API of the release unless another is named', async () => {
  const scoring = named(await render(addresses), 'Deployment', 'weir-scoring');
  expect(environmentOf(scoring)).toMatchObject({ WEIR_UPSTREAM_URL: 'http://weir-risk-api:4000', WEIR_UPSTREAM_KEY_IN: 'header' });
});

test('the console reaches the services whose operations or health its pages show, and nobody else does', async () => {
  const manifests = await render(addresses);
  expect(environmentOf(named(manifests, 'Deployment', 'weir-console'))).toMatchObject({
    WEIR_DECISION_URL: 'http://weir-decision:4000',
    WEIR_AUDIT_URL: 'http://weir-audit-writer:4000',
    WEIR_SCORING_URL: 'http://weir-scoring:4000',
    WEIR_INGEST_URL: 'http://weir-deposit-ingest:4000',
    WEIR_GATE_URL: 'http://weir-withdrawal-gate:4000',
  });
  const policy = (service: string): any => named(manifests, 'NetworkPolicy', `weir-${service}`).spec;
  const isTo = (rules: any[], side: 'from' | 'to', service: string): boolean =>
    rules.some((rule) => rule[side]?.some(({ podSelector }: any) => podSelector?.matchLabels?.['app.kubernetes.io/component'] === service));
  const reached = ['audit-writer', 'decision', 'deposit-ingest', 'scoring', 'withdrawal-gate'];
  expect(services.filter((service) => isTo(policy(service).ingress ?? [], 'from', 'console'))).toEqual(reached);
  expect(services.filter((service) => isTo(policy('console').egress, 'to', service))).toEqual(reached);
});

test('the database and the topics are brought up to date before each installation and upgrade, in that order', async () => {
  const job = named(await render(addresses), 'Job', 'weir-setup');
  expect(job.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
  const pod = podOf(job) ?? {};
  const weir = ['node', 'packages/cli/bin/weir.js'];
  expect([...pod['initContainers'], ...pod['containers']].map(({ command }) => command)).toEqual([
    [...weir, 'migrate'],
    [...weir, 'topics', 'apply', '--replication-factor', '3'],
    [...weir, 'topics', 'acls'],
  ]);
  // A hook comes before the release's own account.
  expect(pod['serviceAccountName']).toBeUndefined();
});

test('a service that scales has no fixed number of replicas; KEDA counts the lag of its group once, and an HPA looks at cpu', async () => {
  const manifests = await render(everything);
  expect(named(manifests, 'Deployment', 'weir-scoring').spec).not.toHaveProperty('replicas');
  expect(named(manifests, 'Deployment', 'weir-decision').spec).toHaveProperty('replicas', 2);
  const hpa = await render(withHpa);
  expect(names(hpa, 'ScaledObject')).toEqual([]);
  expect(named(hpa, 'HorizontalPodAutoscaler', 'weir-scoring').spec).toMatchObject({
    minReplicas: 2,
    maxReplicas: 6,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }],
  });
  expect(names(manifests, 'HorizontalPodAutoscaler')).toEqual([]);
  expect(named(manifests, 'ScaledObject', 'weir-scoring').spec).toEqual({
    scaleTargetRef: { name: 'weir-scoring' },
    minReplicaCount: 2,
    maxReplicaCount: 6,
    cooldownPeriod: 600,
    triggers: [
      {
        type: 'prometheus',
        metadata: {
          serverAddress: 'http://prometheus-operated.monitoring:9090',
          query: 'sum(max by (topic) (weir_consumer_lag{namespace="payments", group="scoring"}))',
          threshold: '500',
        },
      },
    ],
  });
});

test('a network policy admits callers to the services that serve them, and egress to the internet to those that call out', async () => {
  const manifests = await render({ ...addresses, networkPolicy: { callers: [{ podSelector: { matchLabels: { app: 'ingress' } } }] } });
  const policy = (service: string): any => named(manifests, 'NetworkPolicy', `weir-${service}`).spec;
  const admits = (service: string): boolean => JSON.stringify(policy(service).ingress).includes('"app":"ingress"');
  const callsOut = (service: string): boolean => JSON.stringify(policy(service).egress).includes('0.0.0.0/0');
  expect(services.filter(admits)).toEqual(['audit-writer', 'console', 'deposit-ingest', 'risk-api', 'withdrawal-gate']);
  expect(services.filter(callsOut)).toEqual(['audit-writer', 'console', 'risk-api', 'scoring', 'withdrawal-gate']);
  for (const service of services)
    expect(policy(service)).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
      podSelector: { matchLabels: { 'app.kubernetes.io/component': service } },
    });
  expect(policy('setup').ingress ?? []).toEqual([]);
});

test('a service that checks tokens of an OIDC provider reaches it, and a receiver of traces is reached once it is named', async () => {
  const issuer = { WEIR_OIDC_ISSUER: 'https://id.example' };
  const callingOut = async (values: object): Promise<string[]> => {
    const manifests = await render({ ...addresses, ...values });
    return services.filter((service) => JSON.stringify(named(manifests, 'NetworkPolicy', `weir-${service}`).spec).includes('0.0.0.0/0'));
  };
  expect(await callingOut({ settings: issuer })).toEqual(services);
  expect(await callingOut({ services: { decision: { settings: issuer } } })).toEqual(
    services.filter((service) => service !== 'deposit-ingest'),
  );
  const traced = async (values: object): Promise<string[]> =>
    (await render({ ...addresses, ...values }))
      .filter(({ kind, spec }) => kind === 'NetworkPolicy' && JSON.stringify(spec?.['egress']).includes('4318'))
      .map(({ metadata }) => metadata.name);
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  expect(await traced({})).toEqual([]);
  expect(await traced({ services: { scoring: { settings } } })).toEqual(['weir-scoring']);
  expect((await traced({ settings })).sort()).toEqual(names(await render(addresses), 'NetworkPolicy'));
  expect(await traced({ settings, networkPolicy: { telemetry: [] } })).toEqual([]);
});

test('one pod applies changes of labels and keeps the lists of the settings fresh, with a way out', async () => {
  const manifests = await render({ ...addresses, settings: { WEIR_LISTS: 'ofac-sdn,un' } });
  const lists = named(manifests, 'Deployment', 'weir-lists');
  expect(lists.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  expect(podOf(lists)?.['containers'][0]).toMatchObject({
    command: ['node', '/weir/packages/cli/bin/weir.js', 'labels', 'sync', '--watch'],
    workingDir: '/tmp',
  });
  expect(environmentOf(lists)).toMatchObject({ WEIR_LISTS: 'ofac-sdn,un', KAFKA_BROKERS: 'kafka-0:9093,kafka-1:9093' });
  expect(JSON.stringify(named(manifests, 'NetworkPolicy', 'weir-lists').spec?.['egress'])).toContain('0.0.0.0/0');
  expect(names(await render({ ...addresses, lists: { enabled: false } }), 'Deployment')).not.toContain('weir-lists');
});

test('the daily erasure says when the next one is due', async () => {
  const job = named(await render(addresses), 'CronJob', 'weir-privacy-expire');
  expect(podOf(job)?.['containers'][0].command.slice(2)).toEqual(['privacy', 'expire', '--every-hours', '24']);
});

test('Prometheus scrapes each service under the labels that the alerts select by, and has every alert', async () => {
  const manifests = await render(everything);
  const [endpoint] = named(manifests, 'ServiceMonitor', 'weir').spec?.['endpoints'] ?? [];
  expect(endpoint).toMatchObject({ port: 'http', relabelings: [{ targetLabel: 'job', replacement: 'weir' }, { targetLabel: 'service' }] });
  const rules = readFileSync(join(chart, 'files', 'rules.yml'), 'utf8');
  const alerts = named(manifests, 'PrometheusRule', 'weir').spec?.['groups'].flatMap(({ rules: some }: any) =>
    some.filter((rule: any) => 'alert' in rule),
  );
  expect(alerts.length).toBe([...rules.matchAll(/^ +- alert:/gm)].length);
  expect(names(manifests, 'ConfigMap')).toContain('weir-dashboard-risk-decisions');
});

test('a claim outlives the release, and one replica at a time has a claim that only one node can mount', async () => {
  const manifests = await render(addresses);
  for (const name of names(manifests, 'PersistentVolumeClaim'))
    expect(named(manifests, 'PersistentVolumeClaim', name).metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
  expect(named(manifests, 'Deployment', 'weir-audit-writer').spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  expect(named(manifests, 'Deployment', 'weir-withdrawal-gate').spec).toMatchObject({ replicas: 2, strategy: { type: 'RollingUpdate' } });
});

const beside = (component: string): object => ({
  topologyKey: 'kubernetes.io/hostname',
  labelSelector: {
    matchLabels: {
      'app.kubernetes.io/name': 'weir',
      'app.kubernetes.io/instance': 'weir',
      'app.kubernetes.io/component': component,
    },
  },
});
const claimsOf = (manifest: Manifest): string[] =>
  podOf(manifest)?.['volumes'].flatMap((volume: any) => volume.persistentVolumeClaim?.claimName ?? []) ?? [];

test('the toolbox alone mounts what services keep outside the database, beside those whose claim one node mounts', async () => {
  const tolerations = [{ key: 'audit', operator: 'Exists' }];
  const manifests = await render({
    ...everything,
    services: {
      ...everything.services,
      'audit-writer': { tolerations },
      'withdrawal-gate': { persistence: { enabled: true, existingClaim: 'journal-of-ours' } },
    },
  });
  const toolbox = named(manifests, 'Deployment', 'weir-toolbox');
  expect(claimsOf(toolbox)).toEqual(['weir-audit-writer', 'journal-of-ours']);
  expect(podOf(toolbox)?.['containers'][0].volumeMounts).toEqual(
    expect.arrayContaining([
      { name: 'audit-writer', mountPath: '/journals/audit' },
      { name: 'withdrawal-gate', mountPath: '/journals/permits' },
    ]),
  );
  expect(environmentOf(toolbox)).toMatchObject({ WEIR_AUDIT_DIR: '/journals/audit', WEIR_PERMIT_JOURNAL: '/journals/permits' });
  expect(podOf(toolbox)).toMatchObject({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [beside('audit-writer')] } },
    tolerations,
  });
  const [audit, gate] = ['weir-audit-writer', 'weir-withdrawal-gate'].map((name) => podOf(named(manifests, 'Deployment', name)));
  expect(audit?.['affinity']).toEqual({
    podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: beside('toolbox') }] },
  });
  expect(gate).not.toHaveProperty('affinity');
  const mounting = manifests.filter((manifest) => claimsOf(manifest).length > 0).map(({ metadata }) => metadata.name);
  expect(mounting.sort()).toEqual(['weir-audit-writer', 'weir-toolbox', 'weir-withdrawal-gate']);
});

test('the toolbox has no journal that nobody keeps, and stands beside each service whose claim one node mounts', async () => {
  const gate = (persistence: object): object => ({
    ...addresses,
    toolbox: { enabled: true },
    services: { 'withdrawal-gate': { persistence } },
  });
  const none = await render(gate({ enabled: false }));
  expect(claimsOf(named(none, 'Deployment', 'weir-toolbox'))).toEqual(['weir-audit-writer']);
  expect(environmentOf(named(none, 'Deployment', 'weir-toolbox'))).not.toHaveProperty('WEIR_PERMIT_JOURNAL');
  const once = await render(gate({ enabled: true, accessMode: 'ReadWriteOnce' }));
  expect(await decodeStrictly(once)).toEqual([]);
  expect(podOf(named(once, 'Deployment', 'weir-toolbox'))?.['affinity']).toEqual({
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [beside('audit-writer'), beside('withdrawal-gate')] },
  });
  const alone = named(await render(addresses), 'Deployment', 'weir-audit-writer');
  expect(podOf(alone)).not.toHaveProperty('affinity');
});

test.each<[string, object, RegExp]>([
  ['no broker', {}, /kafka/],
  ['a secret among the settings', { ...addresses, settings: { REDIS_URL: 'redis://:secret@redis' } }, /REDIS_URL/],
  [
    'a secret among the settings of a service',
    { ...addresses, services: { scoring: { settings: { WEIR_UPSTREAM_API_KEY: 'k' } } } },
    /WEIR_UPSTREAM_API_KEY/,
  ],
  ['an unknown value', { ...addresses, replicaCount: 3 }, /replicaCount/],
  ['an unknown service', { ...addresses, services: { scorer: {} } }, /scorer/],
  ['a broker without a port', { kafka: { ...addresses.kafka, brokers: 'kafka' } }, /brokers/],
  ['a claim of a service that keeps nothing', { ...addresses, services: { scoring: { persistence: { enabled: true } } } }, /scoring/],
  [
    'lag of a service that reads no topics',
    { ...addresses, autoscaling: { kind: 'hpa' }, services: { 'risk-api': { autoscaling: { minReplicas: 1, maxReplicas: 2, lag: 5 } } } },
    /reads no topics/,
  ],
  [
    'lag with an HPA',
    { ...addresses, autoscaling: { kind: 'hpa' }, services: { scoring: { autoscaling: { minReplicas: 1, maxReplicas: 2, lag: 5 } } } },
    /needs autoscaling\.kind keda/,
  ],
  [
    'a claim that a second pod cannot mount',
    { ...addresses, services: { 'audit-writer': { persistence: { enabled: true, accessMode: 'ReadWriteOncePod' } } } },
    /accessMode/,
  ],
])('refused with a message that names it: %s', async (_title, values, message) => {
  await expect(render(values)).rejects.toThrow(message);
});
