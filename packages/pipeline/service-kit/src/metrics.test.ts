import { expect, test } from 'vitest';
import { createMetrics, createScreeningGauges } from './index.ts';

test('services of one process that register the same metric share it', async () => {
  const metrics = createMetrics();
  const [decision, scoring] = [createScreeningGauges(metrics), createScreeningGauges(metrics)];
  decision.screeningsOpen.set({ kind: 'deposit', state: 'held' }, 1);
  scoring.screeningsOpen.set({ kind: 'deposit', state: 'rescreen' }, 2);
  const shown = await metrics.scrape();
  expect(shown).toContain('weir_screenings_open{kind="deposit",state="held"} 1');
  expect(shown).toContain('weir_screenings_open{kind="deposit",state="rescreen"} 2');
});

test('processes count for themselves', async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.counter('weir_x_total', 'x', []).inc();
  other.counter('weir_x_total', 'x', []);
  expect(await one.scrape()).toContain('weir_x_total 1');
  expect(await other.scrape()).toContain('weir_x_total 0');
});
