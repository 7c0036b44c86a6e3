import { countUnknown } from '@weir/rate-budget';
import { firstProvider, secondProvider } from '@weir/scoring';
import type { Difference } from './difference.ts';
import type { Reconciling } from './run.ts';

/** Creates that the database has forgotten were sent all the same. */
export async function compareBudget({ pipeline, settings, restored, mend, budgetUsed }: Reconciling): Promise<Difference[]> {
  if (!restored) return [];
  const { rows } = await pipeline.pool.query<{ name: string }>('SELECT name FROM budget.upstreams ORDER BY name');
  const second = secondProvider(settings);
  const differences: Difference[] = [];
  for (const { name } of rows) {
    const isSecond = name.endsWith(' second');
    const { limits } = isSecond && second !== undefined ? second : firstProvider(settings);
    const counted = await countUnknown(pipeline.pool, name, { ...limits, spentToday: isSecond ? undefined : budgetUsed }, mend);
    if (counted === undefined || counted.before === counted.after) continue;
    const how =
      budgetUsed === undefined || isSecond ? 'as many as could be sent since the last one that is known' : 'as --budget-used says';
    differences.push({
      about: 'budget',
      state: 'mended',
      detail: `${name}: ${counted.after} of ${limits.perDay} creates of today count as sent, not ${counted.before}: ${how}`,
    });
  }
  return differences;
}
