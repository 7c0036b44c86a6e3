import type { Clock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import {
  admission,
  type Callers,
  type Described,
  exportOperation,
  exportRows,
  mostExported,
  type Operation,
  operation,
  readers,
} from '@weir/service-kit';
import { z } from 'zod';
import { agreementSince, type Disagreement, disagreementsSince, standingOf } from './agreement.ts';
import { providerKinds } from './provider-kinds.ts';
import type { Compared } from './shadow.ts';

/** A provider in its role. */
export interface NamedProvider {
  readonly role: 'deciding' | 'fallback' | 'shadow';
  /** The host of its API. */
  readonly name: string;
  readonly kind: (typeof providerKinds)[number];
}

export interface ComparisonOptions {
  readonly db: Pool;
  readonly access: Callers;
  readonly clock: Clock;
  readonly providers: readonly NamedProvider[];
}

const defaultMs = 7 * 86_400_000;
const mostShown = 100;
const count = z.int().min(0);
const standing = z.string().describe('The level, else the outcome.');
const compared = z.strictObject({ standing, score: z.number().nullable(), categories: z.array(z.string()) });

const providersView = z
  .strictObject({
    items: z
      .array(
        z.strictObject({
          role: z
            .enum(['deciding', 'fallback', 'shadow'])
            .describe('fallback: while the deciding one is away; shadow: it is only compared.'),
          name: z.string().describe('The host of its API.'),
          kind: z.enum(providerKinds),
        }),
      )
      .describe('The deciding one first.'),
    since: z.iso.datetime(),
    compared: count.describe('Results that both gave.'),
    unanswered: count.describe('Results that the one in shadow did not give.'),
    same_level: count,
    levels: z.array(z.strictObject({ first: standing, second: standing, count })).describe('The largest first.'),
    categories: z
      .array(z.strictObject({ category: z.string(), both: count, first_only: count, second_only: count }))
      .describe('Of each risk type, how many results name it.'),
    disagreements: z
      .array(z.strictObject({ screening_id: z.guid(), asked_at: z.iso.datetime(), first: compared, second: compared }))
      .describe(`The newest ${mostShown} in which level or categories differ.`),
  })
  .meta({ id: 'Providers' });

const example: Described<typeof providersView> = {
  items: [
    { role: 'deciding', name: 'risk.example', kind: 'specified' },
    { role: 'shadow', name: 'aml.example', kind: 'elliptic' },
  ],
  since: '2026-01-24T00:00:00.000Z',
  compared: 2,
  unanswered: 0,
  same_level: 1,
  levels: [
    { first: 'Low', second: 'High', count: 1 },
    { first: 'Low', second: 'Low', count: 1 },
  ],
  categories: [{ category: 'mixer', both: 0, first_only: 0, second_only: 1 }],
  disagreements: [
    {
      screening_id: '4b4a6ae0-62b1-5f4e-8b5c-0d4f2c1e9a77',
      asked_at: '2026-01-31T09:12:24.000Z',
      first: { standing: 'Low', score: 3, categories: [] },
      second: { standing: 'High', score: 80, categories: ['mixer'] },
    },
  ],
};

const query = z.object({
  since: z.iso
    .datetime({ offset: true })
    .transform((value) => new Date(value))
    .optional()
    .meta({ description: 'Results asked for since then (RFC 3339). Left out: seven days ago.' }),
});
type Query = z.output<typeof query>;

/** Who is asked for scores, and how far the provider in shadow agrees with the deciding one. */
export function comparisonOperations({ db, access, clock, providers }: ComparisonOptions): readonly Operation[] {
  const sinceOf = ({ since = new Date(clock.now() - defaultMs) }: Query): Date => since;
  const shared = { tag: 'providers', admission: admission(access, readers), query };
  const compare = operation({
    ...shared,
    name: 'compare_providers',
    method: 'GET',
    path: '/v1/providers',
    summary: 'Lists the providers, and compares the one in shadow with the deciding one.',
    description: 'Comparisons are kept for 90 days.',
    answers: [{ status: 200, description: 'Without one in shadow all counts are 0.', schema: providersView, example }],
    respond: async (c, given) => {
      const since = sinceOf(given.query);
      const [agreement, disagreements] = await Promise.all([agreementSince(db, since), disagreementsSince(db, since, mostShown)]);
      c.header('cache-control', 'no-store');
      return c.json({
        items: providers,
        since: since.toISOString(),
        ...agreement,
        disagreements: disagreements.map(({ screening_id, asked_at, first, second }) => ({
          screening_id,
          asked_at: asked_at.toISOString(),
          first: viewOf(first),
          second: viewOf(second),
        })),
      });
    },
  });
  const tableOf = (name: 'levels' | 'categories', list: string, what: string): Operation => {
    const columns = Object.keys(providersView.shape[name].element.shape);
    return exportOperation({
      ...shared,
      list,
      what,
      example: columns.join(','),
      read: async (_, given) => exportRows(columns, (await agreementSince(db, sinceOf(given)))[name]),
    });
  };
  const disagreements = exportOperation({
    ...shared,
    list: 'provider-disagreements',
    what: 'results in which the provider in shadow disagrees with the deciding one, newest first',
    example: disagreementColumns.join(','),
    read: async (_, given) => exportRows(disagreementColumns, (await disagreementsSince(db, sinceOf(given), mostExported + 1)).map(rowOf)),
  });
  return [
    compare,
    tableOf('levels', 'provider-levels', 'pairs of levels that both providers gave, the most frequent first'),
    tableOf('categories', 'provider-categories', 'risk types, with how many results of each provider name them'),
    disagreements,
  ];
}

function viewOf(one: Compared): z.output<typeof compared> {
  return { standing: standingOf(one), score: one.score, categories: [...one.categories] };
}

const disagreementColumns = [
  'screening_id',
  'asked_at',
  'first',
  'first_score',
  'first_categories',
  'second',
  'second_score',
  'second_categories',
] as const;

function rowOf({ screening_id, asked_at, first, second }: Disagreement): Record<(typeof disagreementColumns)[number], unknown> {
  return {
    screening_id,
    asked_at: asked_at.toISOString(),
    first: standingOf(first),
    first_score: first.score,
    first_categories: first.categories.join('; '),
    second: standingOf(second),
    second_score: second.score,
    second_categories: second.categories.join('; '),
  };
}
