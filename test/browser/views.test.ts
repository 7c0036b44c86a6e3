import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectClean, hostile, openPages, type Pages, phoneSize, postDeposit } from './pages.ts';

const from = `0x${'d'.repeat(40)}`;
const to = `0x${'c'.repeat(40)}`;

let running: Pages;
let first: Page;
let second: Page;

beforeAll(async () => {
  running = await openPages();
  ({ first, second } = running);
  running.upstream.answer(() => ({ data: { score: 80, risk_level: 'High', detail_list: [hostile] } }));
  const screening = await postDeposit(running, {
    deposit_id: `in ${hostile}`,
    coin: 'ETH',
    amount: '1.5',
    usd_value: '4500',
    from_address: from,
    to_address: to,
    user_id: `u ${hostile}`,
  });
  await running.visit(first, `/app/screenings/${screening}`);
  await first.getByRole('button', { name: 'Allow' }).waitFor();
});
afterAll(() => running?.close());

/** In light and dark, wide and on a phone. */
async function expectCleanEverywhere(view: string): Promise<void> {
  for (const [wide, scheme] of [
    [first, 'light'],
    [second, 'dark'],
  ] as const) {
    const phone = await running.open(scheme, phoneSize, wide.context());
    for (const page of [wide, phone]) {
      await running.visit(page, view);
      await expectClean(page, view);
    }
    await phone.context().close();
  }
  expect(running.complaints).toEqual([]);
}

test('an address has its latest result, its sides, counterparties, customers and levels over time', async () => {
  await running.visit(first, `/app/addresses/${from}`);
  await first.getByRole('region', { name: 'Latest result' }).getByText('High 80').waitFor();
  await first.getByRole('region', { name: 'By side' }).getByText('From it').waitFor();
  const customers = first.getByRole('region', { name: 'Your customers' });
  await customers.getByRole('link', { name: `u ${hostile}` }).waitFor();
  const days = first.getByRole('figure', { name: 'Levels over time' });
  await days.locator('.recharts-bar-rectangle path').first().waitFor();
  await days.getByText('As a table').click();
  await days.getByRole('row', { name: new RegExp(`^${new Date().toISOString().slice(0, 8)}`) }).waitFor();
  const report = await first.getByRole('link', { name: 'Report (PDF)' }).getAttribute('href');
  const type = await first.evaluate(async (path) => (await fetch(path)).headers.get('content-type'), report ?? '');
  expect(type).toBe('application/pdf');
  await first.getByRole('region', { name: 'Counterparties' }).getByRole('link').click();
  await first.getByRole('heading', { name: `Address ${to}` }).waitFor();
  await first.getByRole('region', { name: 'By side' }).getByText('To it').waitFor();
  await expectCleanEverywhere(`/app/addresses/${from}`);
  await running.visit(first, '/app/addresses/nobody');
  await first.getByText('There is no screening with this address.').waitFor();
});

test('statistics have columns by day, times of holds, and how often the holds of a rule were right', async () => {
  await running.visit(first, '/app/now');
  await first.getByRole('link', { name: 'Statistics' }).click();
  await first.getByRole('heading', { name: 'Statistics' }).waitFor();
  const days = first.getByRole('figure', { name: 'Value by day' });
  await days.getByText('As a table').click();
  await days.getByRole('cell', { name: '$4,500.00' }).waitFor();
  await first.getByRole('region', { name: 'Rules by decisions of people' }).getByText('not decided yet').waitFor();
  await first.getByRole('region', { name: 'Holds' }).getByText('none has ended').first().waitFor();
  await first.getByRole('button', { name: 'Time' }).click();
  await first.getByRole('option', { name: '30 days' }).click();
  await first.waitForURL(/days=30/);
  await expectCleanEverywhere('/app/statistics?days=30');
});
