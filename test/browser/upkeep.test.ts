import { connectToRunning, openPool } from '@weir/postgres';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectClean, hostile, openPages, type Pages, phoneSize } from './pages.ts';

const listed = `0x${'a'.repeat(40)}`;

let running: Pages;
let first: Page;
let second: Page;

beforeAll(async () => {
  running = await openPages();
  ({ first, second } = running);
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

test('a phone has one menu with every view, and signing out', async () => {
  const phone = await running.open('light', phoneSize, first.context());
  await running.visit(phone, '/app/now');
  await phone.getByRole('button', { name: 'Menu' }).click();
  const menu = phone.getByRole('dialog', { name: 'More' });
  await menu.getByRole('button', { name: 'Sign out' }).waitFor();
  await menu.getByRole('link', { name: 'Statistics' }).click();
  await phone.getByRole('heading', { name: 'Statistics' }).waitFor();
  await menu.waitFor({ state: 'detached' });
  await phone.context().close();
});

test('two people add a label, and end it: it is applied, and the audit log has their acts', async () => {
  await running.visit(first, '/app/now');
  await first.getByRole('button', { name: 'More' }).click();
  await first.getByRole('navigation', { name: 'More' }).getByRole('link', { name: 'Labels and lists' }).click();
  await first.getByText('No published list is kept fresh.').waitFor();
  const ask = first.getByRole('region', { name: 'Ask for a change' });
  const fill = async (values: Readonly<Record<string, string>>): Promise<void> => {
    for (const [label, value] of Object.entries(values)) await ask.getByLabel(label, { exact: true }).fill(value);
  };
  const source = `research ${hostile}`;
  await fill({
    Chain: 'ethereum',
    Address: 'nobody',
    Name: `Mallory ${hostile}`,
    Category: 'scam',
    Source: source,
    Reason: `seen ${hostile}`,
  });
  await ask.getByRole('button', { name: 'Ask for it' }).click();
  await ask.getByRole('alert').getByText('is no address').waitFor();
  await fill({ Address: listed });
  await ask.getByRole('button', { name: 'Ask for it' }).click();
  await ask.getByText('It waits for another person.').waitFor();
  const requests = first.getByRole('group', { name: 'Changes that people asked for' });
  await requests.getByRole('button', { name: 'Approve' }).click();
  await requests.getByRole('alert').getByText('another person must approve').waitFor();
  await expectCleanEverywhere('/app/labels');

  await running.visit(second, '/app/labels');
  await second.getByRole('button', { name: 'Approve' }).click();
  await second.getByText('Applied', { exact: true }).waitFor();
  await running.visit(second, `/app/labels?address=${listed}`);
  const found = second.getByRole('group', { name: 'Labels found' });
  await found.getByText(`Mallory ${hostile}`).waitFor();
  await found.getByRole('link', { name: /^End it: the label/ }).click();
  const end = second.getByRole('region', { name: 'Ask for a change' });
  expect(await end.getByLabel('Source', { exact: true }).inputValue()).toBe(source);
  await end.getByLabel('Reason', { exact: true }).fill('a mistake');
  await end.getByRole('button', { name: 'Ask for it' }).click();
  await second.getByText('Waits for another person', { exact: true }).waitFor();
  await running.visit(first, `/app/labels?address=${listed}`);
  await first.getByRole('button', { name: 'Approve' }).click();
  await first.getByText('Applied', { exact: true }).nth(1).waitFor();
  await running.visit(first, `/app/labels?address=${listed}`);
  await first.getByRole('group', { name: 'Labels found' }).locator('time').waitFor();
  await first.getByRole('group', { name: 'Latest changes' }).getByText('Ended').waitFor();
  await expectCleanEverywhere(`/app/labels?address=${listed}`);
  const pool = openPool({ url: connectToRunning(running.installation.dataDir) ?? '', max: 1 });
  const { rows } = await pool.query<{ action: string }>(
    `SELECT action FROM access.activities WHERE subject_type = 'labels' ORDER BY number`,
  );
  await pool.end();
  expect(rows.map(({ action }) => action)).toEqual([
    'label_change_requested',
    'label_change_answered',
    'label_change_requested',
    'label_change_answered',
  ]);
});
