import type { Queryable } from '@weir/postgres';
import { Counter, Gauge, type Registry } from 'prom-client';

/** No label holds an address or a key. */
export function createChangeMetrics(registry: Registry, db: Queryable) {
  return {
    oldest: new Gauge({
      name: 'weir_risk_api_label_change_oldest_seconds',
      help: 'Age of the oldest changed label or new transfer whose scores are not listed yet; 0 when there is none',
      registers: [registry],
      async collect() {
        // A database outage must not fail the scrape: the gauge keeps its value.
        const found = await db.query<{ age: number }>(oldestAge).catch(() => undefined);
        if (found?.rows[0] !== undefined) this.set(found.rows[0].age);
      },
    }),
    notified: new Counter({
      name: 'weir_risk_api_scores_changed_total',
      help: 'Scores that a label or a transfer may have changed, counted once for each key that watches it',
      registers: [registry],
    }),
  };
}

const oldestAge = `
  SELECT coalesce(extract(epoch FROM now() - least(
    (SELECT min(coalesce(due_at, stored_at)) FROM risk.label_changes WHERE taken OR due_at IS NULL OR due_at <= now()),
    (SELECT noted_at FROM risk.changed_places ORDER BY id LIMIT 1),
    (SELECT min(noted_at) FROM risk.changed_subjects))), 0)::float8 AS age`;
