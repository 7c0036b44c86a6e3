import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Metrics of pay-per-call. No label holds a payer, a transaction or a resource. */
export function createPaymentMetrics(registry: Registry, clock: Clock, db: Queryable) {
  const payments = new Counter({
    name: 'weir_payments_total',
    help: 'Payments that came to an outcome: settled, refused, unknown (looked after until it is known), released (not charged, for the call failed)',
    labelNames: ['operation', 'network', 'outcome'] as const,
    registers: [registry],
  });
  const steps = new Histogram({
    name: 'weir_payment_step_seconds',
    help: 'Duration of the steps of a paid call: verify and settle are the facilitator, run is the call itself',
    labelNames: ['step'] as const,
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers: [registry],
  });
  const open = `FROM risk.payments WHERE state IN ('settling', 'unknown')`;
  const gauge = (name: string, help: string, value: string) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // A database outage must not fail the scrape: the gauge keeps its value.
        const found = await db.query<{ value: number }>(`SELECT (${value})::float8 AS value ${open}`).catch(() => undefined);
        if (found?.rows[0] !== undefined) this.set(found.rows[0].value);
      },
    });
  gauge('weir_payments_open', 'Payments sent for settlement of which it is not known whether they were charged', 'count(*)');
  const age = 'coalesce(extract(epoch FROM now() - min(created_at)), 0)';
  gauge('weir_payments_oldest_seconds', 'Age of the oldest of weir_payments_open; 0 when there is none', age);
  return {
    payments,
    timed: async <T>(step: 'verify' | 'run' | 'settle', work: () => Promise<T>): Promise<T> => {
      const start = clock.monotonic();
      try {
        return await work();
      } finally {
        steps.observe({ step }, (clock.monotonic() - start) / 1000);
      }
    },
  };
}

export type PaymentMetrics = ReturnType<typeof createPaymentMetrics>;
