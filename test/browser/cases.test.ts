import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectClean, hostile, openPages, type Pages, phoneSize, postDeposit } from './pages.ts';

let running: Pages;
let first: Page;
let second: Page;
let view: string;

beforeAll(async () => {
  running = await openPages();
  ({ first, second } = running);
  running.upstream.answer(() => ({ data: { score: 80, risk_level: 'High' } }));
  const post = (n: number): Promise<string> =>
    postDeposit(running, {
      deposit_id: `in-${n} ${hostile}`,
      coin: 'ETH',
      amount: '1.5',
      usd_value: '4500',
      from_address: `0xa${String(n).padStart(39, '0')}`,
      to_address: `0x${'c'.repeat(40)}`,
      user_id: `u ${hostile}`,
    });
  await post(1);
  const screening = await post(2);
  await running.visit(first, `/app/screenings/${screening}`);
  await first.getByRole('link', { name: 'Case of related holds' }).click();
  await first.getByRole('heading', { name: /^Case: / }).waitFor();
  view = new URL(first.url()).pathname;
});
afterAll(() => running?.close());

test('related holds are one case, which the list shows and opens', async () => {
  await first.getByRole('link', { name: 'Cases' }).click();
  await first.getByRole('heading', { name: 'Cases' }).waitFor();
  await first
    .getByRole('button', { name: /^State|All/ })
    .first()
    .click();
  await first.getByRole('option', { name: 'Open', exact: true }).click();
  await first.waitForURL(/state=open/);
  await first.getByRole('table', { name: 'Cases' }).getByRole('link').first().click();
  await first.waitForURL((url) => url.pathname === view);
  const holds = first.getByRole('region', { name: 'Holds' });
  await holds.getByRole('cell', { name: '1.5 ETH' }).nth(1).waitFor();
  const file = await holds
    .getByRole('link', { name: /^Case file/ })
    .first()
    .getAttribute('href');
  const type = await first.evaluate(async (path) => (await fetch(path)).headers.get('content-type'), file ?? '');
  expect(type).toBe('application/zip');
});

test('people write notes, take it, attach a file, close it with an outcome, and open it again', async () => {
  await running.visit(first, view);
  await first.getByLabel('Note', { exact: true }).fill(`both of one exchange ${hostile}`);
  await first.getByRole('button', { name: 'Add a note' }).click();
  await first.getByRole('button', { name: 'Take it' }).click();
  await first.getByRole('button', { name: 'Release it' }).waitFor();
  const text = `Statement of the customer. ${hostile}`;
  await first.locator('input[type=file]').setInputFiles({ name: `note ${hostile}.txt`, mimeType: 'text/plain', buffer: Buffer.from(text) });
  const link = first.getByRole('region', { name: 'Attachments' }).getByRole('link');
  const kept = await first.evaluate(async (path) => (await fetch(path)).text(), (await link.getAttribute('href')) ?? '');
  expect(kept).toBe(text);
  await first.locator('input[type=file]').setInputFiles({ name: 'x.bin', mimeType: 'text/plain', buffer: Buffer.from([0, 1, 2, 255]) });
  await first
    .getByRole('alert')
    .filter({ hasText: /none of/ })
    .waitFor();
  await first.getByLabel('Reason').fill('the label was of another address');
  await first.getByRole('button', { name: 'Close with this outcome' }).click();
  await running.visit(second, view);
  await second.getByText('False positive by dev').waitFor();
  await second.getByText('both of one exchange').waitFor();
  await second.getByLabel('Reason').fill('too early');
  await second.getByRole('button', { name: 'Open it again' }).click();
  await second.getByRole('button', { name: 'Close with this outcome' }).waitFor();
});

test('an auditor reads it, and is offered no change', async () => {
  const page = await running.open('light');
  await running.visit(page, view);
  await running.signIn(page, running.installation.token('auditor'));
  await running.visit(page, view);
  await page.getByRole('heading', { name: /^Case: / }).waitFor();
  await page.getByText('both of one exchange').waitFor();
  expect(await page.getByRole('button', { name: /Take it|Release it|Add a note|Attach|Close|Open it/ }).count()).toBe(0);
  await page.context().close();
  await running.visit(first, '/app/cases/00000000-0000-4000-8000-000000000000');
  await first.getByText('There is no case with this id.').waitFor();
});

test('axe finds nothing on the list and on a case, light, dark and on a phone', async () => {
  for (const [wide, scheme] of [
    [first, 'light'],
    [second, 'dark'],
  ] as const) {
    const phone = await running.open(scheme, phoneSize, wide.context());
    for (const page of [wide, phone]) {
      for (const one of ['/app/cases', view]) {
        await running.visit(page, one);
        await expectClean(page, one);
        const shot = process.env['WEIR_SHOTS'];
        if (shot !== undefined)
          await page.screenshot({
            path: `${shot}/cases-${one === view ? 'one' : 'list'}-${scheme}-${page === phone ? 'phone' : 'wide'}.png`,
          });
      }
    }
    await phone.context().close();
  }
  expect(running.complaints).toEqual([]);
});
