/** Writes docs/reference from the code: settings, metrics, operations, topics and commands. With --check it exits 1 when a page is out of date. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { systemClock } from '@weir/clock';
import { type Topic, topicAcls, topicSchemas, topicSpecs, topics } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';
import { createMetrics, tlsSchema } from '@weir/service-kit';
import type { Command } from 'commander';
import { describePipeline } from '../../installation/src/services.ts';
import { createJobMetrics } from '../../pipeline/service-kit/src/job-metrics.ts';
import { certificateExpiry } from '../../pipeline/service-kit/src/server-tls.ts';
import { createAuditMetrics, createTreeGauges } from '../../../services/audit-writer/src/metrics.ts';
import { createFollowerMetrics } from '../../../services/chain-follower/src/metrics.ts';
import { createConsoleMetrics } from '../../../services/console/src/metrics.ts';
import { createDecisionMetrics } from '../../../services/decision/src/metrics.ts';
import { createChainDataMetrics } from '../../../services/risk-api/src/chain-data.ts';
import { createRequestMetrics } from '../../../services/risk-api/src/http/metrics.ts';
import { createContradictionMetrics } from '../../../services/risk-api/src/label-contradictions.ts';
import { createListMetrics } from '../../../services/risk-api/src/lists/metrics.ts';
import { createPaymentMetrics } from '../../../services/risk-api/src/payments/metrics.ts';
import { UnprovenPayments } from '../../../services/risk-api/src/payments/unproven.ts';
import { createChangeMetrics } from '../../../services/risk-api/src/score-changes/metrics.ts';
import { createScoringMetrics } from '../../../services/scoring/src/metrics.ts';
import { createGateMetrics } from '../../../services/withdrawal-gate/src/metrics.ts';
import { createProgram } from '../src/program.ts';
import { allSchema } from '../src/settings.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ').trim();
const code = (text: string): string => (text === '' ? '' : `\`${text.replaceAll('|', '\\|')}\``);
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const pages: Record<string, string> = {
  settings: settings(),
  metrics: metrics(),
  operations: await operations(),
  topics: describeTopics(),
  commands: [
    '# All commands',
    'Every command with its arguments and options. `docs/commands.md` is the overview.',
    ...commandsOf(createProgram(), ''),
  ].join('\n\n'),
};
for (const [name, text] of Object.entries(pages))
  write(join(root, 'docs', 'reference', `${name}.md`), `${text}\n\nMade from the code by \`npm run generate\`.\n`);

function settings(): string {
  const all = Object.values({ ...allSchema, ...tlsSchema } as Record<
    string,
    { env: string; doc: string; default: unknown; sensitive?: boolean }
  >);
  const rows = all
    .toSorted((a, b) => (a.env < b.env ? -1 : 1))
    .map(({ env, doc, default: value }) => [code(env), code(String(value ?? '')), cell(doc)]);
  return [
    '# All settings',
    'Every environment variable that Weir reads. [Settings](../settings.md) explains the most important ones.',
    table(['Setting', 'Default', 'Purpose'], rows),
  ].join('\n\n');
}

function metrics(): string {
  const parts: [string, ReturnType<typeof rowsOf>][] = [];
  const known = new Set<string>();
  /** The metrics that `create` registers and no part before it. */
  function rowsOf(create: (own: ReturnType<typeof createMetrics>) => unknown) {
    const own = createMetrics();
    create(own);
    const found = own.registry.getMetricsAsArray() as unknown as {
      name: string;
      help: string;
      labelNames: string[];
      constructor: { name: string };
    }[];
    return found
      .filter(({ name }) => name.startsWith('weir_') && !known.has(name))
      .map(({ name, help, labelNames, constructor }) => {
        known.add(name);
        return [code(name), constructor.name.toLowerCase(), labelNames.map(code).join(', '), cell(help)];
      });
  }
  const db = {} as Queryable;
  parts.push(['Every service', rowsOf(({ gauge, registry }) => [gauge(...certificateExpiry), createJobMetrics(registry, db)])]);
  parts.push(['scoring', rowsOf(createScoringMetrics)]);
  parts.push(['decision', rowsOf(createDecisionMetrics)]);
  parts.push(['withdrawal-gate', rowsOf(createGateMetrics)]);
  parts.push(['console', rowsOf(createConsoleMetrics)]);
  parts.push(['audit-writer', rowsOf((own) => [createAuditMetrics(own), createTreeGauges(own)])]);
  parts.push(['chain-follower', rowsOf((own) => createFollowerMetrics(own, db, systemClock))]);
  const registerRiskApi = (own: ReturnType<typeof createMetrics>): unknown => {
    const { registry } = own;
    createRequestMetrics(own);
    createChangeMetrics(registry, db);
    createPaymentMetrics(registry, systemClock, db);
    createContradictionMetrics({ db, registry, clock: systemClock } as Parameters<typeof createContradictionMetrics>[0]);
    createChainDataMetrics(registry, db, {} as Parameters<typeof createChainDataMetrics>[2]);
    createListMetrics(registry, db, systemClock, { lists: 'all' } as Parameters<typeof createListMetrics>[3]);
    return new UnprovenPayments({ most: 1, perClient: 1 }, registry);
  };
  parts.push(['risk-api', rowsOf(registerRiskApi)]);
  return [
    '# Metrics',
    'Each process serves these at `/metrics`, beside the default metrics of Node.js (`process_…`, `nodejs_…`). A metric of several services stands with the first of them. No label holds an address, a transaction, a user or a key. Rules and alerts are in [`deploy/prometheus/rules.yml`](../../deploy/prometheus/rules.yml), one [runbook](../runbooks/README.md) for each alert.',
    ...parts.flatMap(([title, rows]) => [`## ${title}`, table(['Metric', 'Type', 'Labels', 'Meaning'], rows)]),
  ].join('\n\n');
}

async function operations(): Promise<string> {
  interface Operation {
    readonly tags: readonly string[];
    readonly summary: string;
    readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
    readonly responses: Readonly<Record<string, unknown>>;
  }
  const { tags, paths } = (await describePipeline()) as { tags: { name: string }[]; paths: Record<string, Record<string, Operation>> };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, own]) => ({ path, method: method.toUpperCase(), ...own })),
  );
  const rowOf = ({ method, path, summary, security = [], responses }: (typeof all)[number]): string[] => [
    code(`${method} ${path}`),
    cell(summary),
    [...new Set(security.flatMap((each) => Object.values(each).flat()))].join(', ') || 'none',
    Object.keys(responses).join(', '),
  ];
  return [
    '# All operations',
    'Every operation of the pipeline and the console, with the roles that may call it and the statuses of its answers. A running Weir has fields, examples and problems of each at `/docs` and in `/openapi.json`; so has the risk API. [HTTP](../http.md) is the overview.',
    ...tags.flatMap(({ name }) => [
      `## ${name}`,
      table(['Operation', 'Does', 'Roles', 'Statuses'], all.filter((each) => each.tags[0] === name).map(rowOf)),
    ]),
  ].join('\n\n');
}

function describeTopics(): string {
  const users = (topic: string, operation: 'READ' | 'WRITE'): string =>
    topicAcls
      .filter((acl) => acl.resource === 'topic' && acl.name === topic && acl.operation === operation && acl.user !== 'operator')
      .map(({ user }) => user)
      .join(', ');
  const days = (ms: number): string => `${ms / 86_400_000} days`;
  const typeOf = (type: unknown): string => {
    if (typeof type === 'string') return type;
    if (Array.isArray(type)) return type.map(typeOf).join(' or ');
    const { type: kind, items, name, symbols } = type as { type: string; items?: unknown; name?: string; symbols?: string[] };
    return kind === 'array' ? `list of ${typeOf(items)}` : (symbols?.join(', ') ?? name ?? kind);
  };
  const sectionOf = (topic: Topic): string[] => {
    const schema = JSON.parse(topicSchemas[topic]) as { doc: string; fields: { name: string; type: unknown; doc?: string }[] };
    return [
      `## ${topic}`,
      schema.doc,
      table(
        ['Field', 'Type', 'Meaning'],
        schema.fields.map(({ name, type, doc = '' }) => [code(name), cell(typeOf(type)), cell(doc)]),
      ),
    ];
  };
  return [
    '# Topics',
    'Records are Avro with CloudEvents headers. `packages/domain/contracts/asyncapi.yaml` (AsyncAPI 3) describes them for programs, with headers and framing. A record that cannot be processed goes to the topic of its name with `.dlq`.',
    table(
      ['Topic', 'Written by', 'Read by', 'Partitions', 'Kept'],
      topicSpecs.map(({ name, partitions, retentionMs }) => [
        code(name),
        users(name, 'WRITE'),
        users(name, 'READ'),
        String(partitions),
        days(retentionMs),
      ]),
    ),
    ...topics.flatMap(sectionOf),
  ].join('\n\n');
}

function commandsOf(command: Command, above: string): string[] {
  const name = `${above} ${command.name()}`.trim();
  if (command.commands.length > 0) return command.commands.flatMap((each) => commandsOf(each, name));
  const rows = [
    ...command.registeredArguments.map((each) => [code(each.required ? `<${each.name()}>` : `[${each.name()}]`), cell(each.description)]),
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map(({ flags, description, argChoices }) => [
        code(flags),
        cell(`${description}${argChoices === undefined ? '' : ` (${argChoices.join(', ')})`}`),
      ]),
  ];
  return [`## ${name}`, cell(command.description()), ...(rows.length === 0 ? [] : [table(['Argument or option', 'Meaning'], rows)])];
}

function write(path: string, wanted: string): void {
  if (!process.argv.includes('--check')) {
    mkdirSync(join(path, '..'), { recursive: true });
    return writeFileSync(path, wanted);
  }
  if (existsSync(path) && readFileSync(path, 'utf8') === wanted) return;
  process.stderr.write(`${relative(root, path)} is out of date: run npm run generate\n`);
  process.exitCode = 1;
}
