import type { RiskExposure, RiskLevel, Unavailable } from '@weir/risk-client';
import { amount, problemOf, text, unavailable } from '@weir/risk-client/raw';
import { z } from 'zod';
import { type Assessment, explanationOf, exposureOf, riskTypeOf } from '../assessment.ts';
import type { Category, OwnCategories } from '../categories.ts';
import type { Explanation, Mapped } from '../port.ts';
import categories from './categories.json' with { type: 'json' };
import levels from './levels.json' with { type: 'json' };

const orNull = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);
const usd = orNull(z.object({ usd: orNull(amount) })).transform((value) => value?.usd ?? null);
const tenth = z.number().min(0).max(10);

const triggers = { risk_triggers: orNull(z.object({ is_sanctioned: orNull(z.boolean()) })) };
/** How near it is to the subject, and with how much money. */
const nearness = {
  counterparty_value: usd,
  indirect_value: usd,
  is_screened_address: orNull(z.boolean()),
  min_number_of_hops: orNull(z.int().min(0)),
};
const contributor = z.object({ entity: text, ...nearness, ...triggers });
const element = z.object({
  category: text,
  counterparty_value: usd,
  indirect_value: usd,
  contributions: z
    .array(contributor)
    .nullish()
    .transform((value) => value ?? []),
});
const behavior = z.object({ behavior_type: text, usd_value: orNull(amount) });
const rule = z
  .object({
    risk_score: tenth,
    matched_elements: z.array(element).exactOptional(),
    matched_behaviors: z.array(behavior).exactOptional(),
  })
  // A rule is triggered by something.
  .refine((one) => (one.matched_elements?.length ?? 0) + (one.matched_behaviors?.length ?? 0) > 0, { path: ['matched_elements'] });
const entity = z.object({ name: orNull(text), category: text, is_primary_entity: orNull(z.boolean()), ...triggers });
const contribution = z.object({ entities: z.array(entity), ...nearness });
/** Of a wallet by side; of a transaction one side. */
const bySide = <T extends z.ZodType>(schema: T) =>
  z.union([
    z.array(schema).transform((source) => ({ source, destination: [] as z.output<T>[] })),
    z.object({ source: z.array(schema), destination: z.array(schema) }),
  ]);

/** Required and strict: a missing list could have held the rule that counts. */
const complete = z.object({
  process_status: z.literal('complete'),
  type: z.enum(['wallet_exposure', 'source_of_funds', 'destination_of_funds']),
  risk_score: tenth.nullable(),
  evaluation_detail: bySide(rule),
  contributions: bySide(contribution),
  cluster_entities: z
    .array(entity)
    .nullish()
    .transform((value) => value ?? []),
});
const notInBlockchain = z.object({ name: z.literal('NotInBlockchain') });
const ours: ReadonlySet<PropertyKey> = new Set(
  [complete, rule.shape, element].flatMap((one) => Object.keys('shape' in one ? one.shape : one)),
);

const sanctioned = 'sanctioned_entity';

const byName: ReadonlyMap<string, Category> = new Map(
  categories.categories.flatMap((category) => category.names.map((name) => [name, category])),
);

/** `process_status` of an answer; undefined where there is none. */
export function statusOf(value: unknown): { readonly status: string; readonly id: string } | undefined {
  const read = z.object({ process_status: z.string(), id: z.string().regex(/^[0-9a-zA-Z-]{1,64}$/) }).safeParse(value);
  return read.success ? { status: read.data.process_status, id: read.data.id } : undefined;
}

/** Evidence is the body of one analysis, or the error that the subject is not on the blockchain. */
export function explainElliptic(evidence: string, own: OwnCategories): Explanation | Unavailable {
  const value = parse(evidence);
  if (notInBlockchain.safeParse(value).success)
    return explanationOf({ level: 'Low', score: 3, exposures: [], label: '', isUnknown: true, mapped: [] });
  const read = complete.safeParse(value);
  if (!read.success) return unavailable('UNREADABLE', problemOf(read.error, ours));
  const assessment = assessmentOf(read.data, own);
  return 'level' in assessment ? explanationOf(assessment) : assessment;
}

type Complete = z.output<typeof complete>;

function assessmentOf({ type, risk_score, evaluation_detail, contributions, cluster_entities }: Complete, own: OwnCategories) {
  const mapped: Mapped[] = [];
  let isAllKnown = true;
  const find = (name: string): Category => {
    const category = own.get(name.toLowerCase()) ?? byName.get(name.toLowerCase());
    isAllKnown &&= category !== undefined;
    if (category !== undefined) mapped.push({ field: 'category', from: name, to: riskTypeOf(category) });
    return category ?? { names: [], risk_type: null };
  };
  const exposures: RiskExposure[] = [];
  const unruled: RiskExposure[] = [];
  const others = [...cluster_entities];
  for (const [key, side] of [
    ['source', type === 'destination_of_funds' ? 'out' : 'in'],
    ['destination', 'out'],
  ] as const) {
    for (const one of evaluation_detail[key]) exposures.push(...exposuresOf(one, side, find));
    for (const { entities, ...near } of contributions[key]) {
      others.push(...entities);
      for (const one of entities.filter((each) => isSanctioned(each, find)))
        unruled.push(...placesOf({ entity: one.name ?? one.category, risk_type: sanctioned, side }, near));
    }
  }
  // The subject itself, also where no rule speaks of it.
  for (const one of cluster_entities) {
    const risk_type = isSanctioned(one, find) ? sanctioned : find(one.category).risk_type;
    if (risk_type !== null) unruled.push(exposureOf({ entity: one.name ?? one.category, risk_type, exposure_type: 'direct', hop_num: 1 }));
  }
  const ruled = new Set(exposures.map(keyOf));
  exposures.push(...unruled.filter((one) => !ruled.has(keyOf(one))));
  if (!isAllKnown) return unavailable('UNREADABLE', 'a category is not known');
  const rules = [...evaluation_detail.source, ...evaluation_detail.destination];
  // Null means that no rule was triggered.
  if (risk_score === null && rules.length > 0) return unavailable('UNREADABLE', 'triggered rules contradict the score');
  if (risk_score !== null && rules.length === 0) return unavailable('UNREADABLE', 'the score contradicts that no rule was triggered');
  const isListed = unruled.some(({ risk_type, exposure_type }) => risk_type === sanctioned && exposure_type === 'direct');
  const worst = Math.max(risk_score ?? 0, isListed ? levels.sanctioned.least : 0, ...rules.map((one) => one.risk_score));
  const level = (levels.bands.find(({ above }) => worst > above)?.level ?? 'Severe') as RiskLevel;
  mapped.push({ field: 'level', from: String(risk_score), to: level });
  const label = cluster_entities.find(({ is_primary_entity }) => is_primary_entity === true)?.name ?? '';
  const isUnknown = risk_score === null && others.length === 0;
  return { level, score: Math.max(3, Math.ceil(worst * 10)), exposures, label, isUnknown, mapped } satisfies Assessment;
}

function exposuresOf(
  { matched_elements = [], matched_behaviors = [] }: z.output<typeof rule>,
  side: 'in' | 'out',
  find: (name: string) => Category,
): RiskExposure[] {
  const behaviors = matched_behaviors.map(({ behavior_type, usd_value }) =>
    exposureOf({ entity: behavior_type, risk_type: 'illicit_activity', exposure_type: 'direct', hop_num: 1, side, volume_usd: usd_value }),
  );
  const elements = matched_elements.flatMap((one) => {
    const ofCategory = riskTypeOf(find(one.category));
    // A category that names nobody stands for itself.
    const named = one.contributions.length > 0 ? one.contributions : [{ ...one, entity: one.category }];
    return named.flatMap((each) => {
      const isListed = 'risk_triggers' in each && each.risk_triggers?.is_sanctioned === true;
      return placesOf({ entity: each.entity, risk_type: isListed ? sanctioned : ofCategory, side }, each);
    });
  });
  return [...behaviors, ...elements];
}

type Near = Partial<Pick<z.output<typeof contributor>, keyof typeof nearness>>;

/** One exposure, or two where an entity paid the subject itself and through others. */
function placesOf(of: Pick<RiskExposure, 'entity' | 'risk_type' | 'side'>, near: Near): RiskExposure[] {
  const { counterparty_value = null, indirect_value = null, is_screened_address, min_number_of_hops: hops = null } = near;
  // Nobody paid the subject to be who it is, so no limit of dust applies.
  if (is_screened_address === true) return [exposureOf({ ...of, side: null, exposure_type: 'direct', hop_num: 1 })];
  const isDirect = (counterparty_value ?? 0) > 0 || (hops !== null && hops <= 1);
  // Without hops and values the nearer place is assumed.
  const isIndirect = (indirect_value ?? 0) > 0 || (hops !== null && hops > 1);
  return [
    ...(isDirect || !isIndirect ? [exposureOf({ ...of, exposure_type: 'direct', hop_num: 1, volume_usd: counterparty_value })] : []),
    ...(isIndirect ? [exposureOf({ ...of, exposure_type: 'indirect', hop_num: Math.max(hops ?? 2, 2), volume_usd: indirect_value })] : []),
  ];
}

function isSanctioned({ category, risk_triggers }: z.output<typeof entity>, find: (name: string) => Category): boolean {
  const { risk_type } = find(category);
  return risk_type === sanctioned || risk_triggers?.is_sanctioned === true;
}

/** An entity that a rule names is not counted again as a contribution. */
function keyOf({ entity: name, risk_type, exposure_type, side }: RiskExposure): string {
  return JSON.stringify([name, risk_type, exposure_type, side]);
}

function parse(evidence: string): unknown {
  try {
    return JSON.parse(evidence);
  } catch {
    return undefined;
  }
}
