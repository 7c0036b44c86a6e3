import type { RiskLevel, Unavailable } from '@weir/risk-client';
import { amount, problemOf, text, unavailable } from '@weir/risk-client/raw';
import { z } from 'zod';
import { explanationOf, exposureOf, riskTypeOf } from '../assessment.ts';
import type { Category, OwnCategories } from '../categories.ts';
import type { Explanation, Mapped } from '../port.ts';
import categories from './categories.json' with { type: 'json' };
import levels from './levels.json' with { type: 'json' };

const orNull = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);
const named = { category: orNull(text), categoryId: orNull(z.int()) };

/** Required and strict: a missing list could have held the alert that counts. */
const alert = z.object({
  alertLevel: z.enum(Object.keys(levels.levels) as (keyof typeof levels.levels)[]),
  ...named,
  service: orNull(text),
  alertAmount: orNull(amount),
  exposureType: z.enum(['DIRECT', 'INDIRECT']),
});
const counterparty = z.object({ name: orNull(text), ...named });
const evidence = z.object({
  exposures: z.object({ direct: counterparty.nullable() }),
  alerts: z.object({ alerts: z.array(alert) }),
});
const ours: ReadonlySet<PropertyKey> = new Set(
  [evidence, evidence.shape.exposures, evidence.shape.alerts, alert, counterparty].flatMap((schema) => Object.keys(schema.shape)),
);

const byId = new Map<number, Category>(categories.categories.map((category) => [category.id, category]));
const byName = new Map<string, Category>(categories.categories.flatMap((category) => category.names.map((name) => [name, category])));

/**
 * The category that both the id and the name mean. Undefined where one is unknown or they differ, null where neither is given. A name of
 * the installation counts alone.
 */
function categoryOf(
  { category, categoryId }: { category: string | null; categoryId: number | null },
  own: OwnCategories,
): Category | undefined | null {
  if (category === null && categoryId === null) return null;
  const chosen = category === null ? undefined : own.get(category.toLowerCase());
  if (chosen !== undefined) return chosen;
  const found = [
    ...(categoryId === null ? [] : [byId.get(categoryId)]),
    ...(category === null ? [] : [byName.get(category.toLowerCase())]),
  ];
  return found.every((one) => one !== undefined && one === found[0]) ? found[0] : undefined;
}

/** Evidence is one object of the bodies about one transfer or attempt: `summary`, `exposures`, `alerts`. */
export function explainChainalysis(stored: string, own: OwnCategories): Explanation | Unavailable {
  const read = evidence.safeParse(parse(stored));
  if (!read.success) return unavailable('UNREADABLE', problemOf(read.error, ours));
  const { direct } = read.data.exposures;
  const { alerts } = read.data.alerts;
  const mapped: Mapped[] = [];
  const exposures = [];
  let level: RiskLevel = 'Low';
  let score = 3;
  for (const one of alerts) {
    const category = categoryOf(one, own);
    if (category === undefined || category === null) return unavailable('UNREADABLE', 'the category of an alert is not known');
    const of = levels.levels[one.alertLevel];
    if (of.score > score) [level, score] = [of.level as RiskLevel, of.score];
    mapped.push({ field: 'level', from: one.alertLevel, to: of.level });
    mapped.push({ field: 'category', from: category.names[0] ?? '', to: riskTypeOf(category) });
    exposures.push(
      exposureOf({
        entity: one.service ?? category.names[0] ?? '',
        risk_type: riskTypeOf(category),
        exposure_type: one.exposureType === 'DIRECT' ? 'direct' : 'indirect',
        // KYT does not count hops. Two is the least of an indirect exposure.
        hop_num: one.exposureType === 'DIRECT' ? 1 : 2,
        volume_usd: one.alertAmount,
      }),
    );
  }
  const known = direct === null ? null : categoryOf(direct, own);
  if (known === undefined) return unavailable('UNREADABLE', 'the category of the counterparty is not known');
  if (known !== null && known.risk_type !== null) {
    const risk_type = known.risk_type;
    mapped.push({ field: 'category', from: known.names[0] ?? '', to: risk_type });
    // An alert about it says more.
    if (!exposures.some((one) => one.exposure_type === 'direct' && one.risk_type === risk_type))
      exposures.push(exposureOf({ entity: direct?.name ?? known.names[0] ?? '', risk_type, exposure_type: 'direct', hop_num: 1 }));
  }
  const isUnknown = alerts.length === 0 && (known === null || known.names[0] === 'none');
  return explanationOf({ level, score, exposures, label: direct?.name ?? '', isUnknown, mapped });
}

function parse(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    return undefined;
  }
}
