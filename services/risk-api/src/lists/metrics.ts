import { type LabelList, readLabelLists } from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { oncePerScrape } from '@weir/service-kit';
import { Gauge, type Registry } from 'prom-client';
import { enabledLists, type ListSettings } from './settings.ts';

export interface ListHealth {
  readonly name: string;
  /** Since the last successful check; without one, since the list was enabled. */
  readonly ageMs: number;
  readonly isChecked: boolean;
  readonly isStale: boolean;
  readonly failures: number;
  readonly error: string | null;
}

/** Of each enabled list. `since`: Unix ms from which a list counts that no process has ever looked at. */
export async function readListHealth(
  db: Queryable,
  settings: ListSettings,
  { now, since }: { now: number; since: number },
): Promise<ListHealth[]> {
  const names = enabledLists(settings).map(({ name }) => name);
  if (names.length === 0) return [];
  const states = new Map((await readLabelLists(db, names)).map((state): [string, LabelList] => [state.name, state]));
  return names.map((name) => {
    const state = states.get(name);
    const last = state?.checked_at ?? state?.created_at;
    const ageMs = Math.max(now - (last?.getTime() ?? since), 0);
    const isChecked = state?.checked_at != null;
    return { name, ageMs, isChecked, isStale: ageMs > settings.listMaxAgeMs, failures: state?.failures ?? 0, error: state?.error ?? null };
  });
}

/** Of the enabled lists, whichever process checks them. */
export function createListMetrics(registry: Registry, db: Queryable, clock: Clock, settings: ListSettings): void {
  if (settings.lists === '') return;
  const since = clock.now();
  const collect = oncePerScrape(refresh);
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `weir_label_list_${name}`, help, labelNames: ['list'], registers: [registry], collect });
  const age = gauge('age_seconds', 'Time since the last successful check of a published list; without one, since it was enabled');
  const stale = gauge('stale', '1 for a published list whose last successful check is older than WEIR_LIST_MAX_AGE_MS, else 0');
  const failures = gauge('failures', 'Failed checks of a published list since the last successful one');

  async function refresh(): Promise<void> {
    for (const health of await readListHealth(db, settings, { now: clock.now(), since })) {
      const list = { list: health.name };
      age.set(list, health.ageMs / 1_000);
      stale.set(list, health.isStale ? 1 : 0);
      failures.set(list, health.failures);
    }
  }
}
