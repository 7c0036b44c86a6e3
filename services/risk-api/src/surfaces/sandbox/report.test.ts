import { ManualClock } from '@weir/clock';
import { readPdf } from '@weir/risk-report/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestReports, origin, type TestReports } from '../../reports/testing.ts';
import { sandboxReport } from './report.ts';
import { sandboxTargets } from './targets.ts';

let reports: TestReports;
beforeAll(async () => {
  reports = await openTestReports();
});
afterAll(() => reports.stop());

it.each(sandboxTargets.filter(({ coin, risk_level }) => coin === 'ETH' && risk_level === 'Severe'))(
  'a report says that it is predefined: $coin $risk_level',
  async (target) => {
    const replica = reports.open({ clock: new ManualClock(Date.UTC(2026, 6, 16)), sandbox: sandboxReport });
    const response = await replica.get(await replica.url({ sandbox: target.address ?? target.txid ?? '', direction: 'withdraw' }, origin));
    expect(response.status).toBe(200);
    const { text } = await readPdf(new Uint8Array(await response.arrayBuffer()));
    expect(text).toContain('Sandbox: a predefined result for integration tests, not an assessment.');
    expect(text).toContain('SANDBOX, predefined result');
    expect(text).toContain(`${target.risk_level.toUpperCase()} ${target.score} of 100`);
    expect(text).toContain(target.address_label.withdraw);
    expect(text).not.toContain('What the score is made of');
  },
);
