import { addLabelLists, recordFailure } from '@weir/chain-store';
import { connectToRunning, openPool } from '@weir/postgres';
import { loadLabels } from '@weir/risk-api';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { answerTo, chooseOfLabel, expectCleanEverywhere, expectCleanNow, exported, hostile, limitMs, phoneSize } from './pages.ts';
import type { TierPages } from './tiers.ts';

const listed = `0x${'a'.repeat(40)}`;
const failure = `NOT_THE_LIST: the file is not a whole uk: ${hostile} ${'in one word'.repeat(20)}`;

/** Chooses in the form that asks for a change of labels. */
/** Expects the menu of a phone and changes of labels to work, the same on every tier. */
export function expectUpkeep(pages: () => TierPages): void {
  describe('labels', () => {
    let running: TierPages;
    let first: Page;
    let second: Page;

    beforeAll(async () => {
      running = pages();
      ({ first, second } = running);
      const pool = openPool({ url: connectToRunning(running.installation.dataDir) ?? '', max: 1 });
      const now = new Date();
      await addLabelLists(pool, ['eu', 'uk'], now);
      await recordFailure(pool, 'uk', failure, now);
      const contested = { chain: 'ethereum', address: `0x${'7'.repeat(40)}`, confidence: 0.9, valid_from: null, valid_to: null } as const;
      await loadLabels(pool, [
        { ...contested, name: 'A shop', category: 'exchange', source: `theirs ${hostile}`, source_kind: 'curated' },
        { ...contested, name: 'A thief', category: 'sanctioned', source: `an authority ${hostile}`, source_kind: 'authority' },
      ]);
      await pool.end();
    });

    test('a phone has one menu with every view, and signing out', async () => {
      const phone = await running.open('light', phoneSize, first.context());
      await running.visit(phone, '/app/now');
      await phone.getByRole('button', { name: 'Menu' }).click();
      const menu = phone.getByRole('dialog', { name: 'Menu' });
      await menu.getByRole('button', { name: 'Sign out' }).waitFor();
      await expectCleanNow(phone, 'the menu of a phone');
      await menu.getByRole('link', { name: 'Statistics' }).click();
      await phone.locator('h1:focus', { hasText: 'Statistics' }).waitFor();
      await menu.waitFor({ state: 'detached' });
      await phone.locator('h1:focus').waitFor();
      await phone.context().close();
    });

    test('a list that fails and labels that contradict each other come first, and their texts stay text', async () => {
      await running.visit(first, '/app/labels');
      const lists = first.getByRole('group', { name: 'Published lists' }).getByRole('row');
      // The server may have read them just before, which it does once a minute, and the page polls.
      await lists
        .nth(1)
        .getByText('failed once', { exact: true })
        .waitFor({ timeout: 2 * limitMs });
      await lists.nth(1).getByText(failure, { exact: true }).waitFor();
      await lists.nth(2).getByRole('rowheader', { name: 'eu', exact: true }).waitFor();
      // It was never checked.
      expect(await lists.nth(2).getByText('up to date').count()).toBe(0);
      const conflict = first.getByRole('group', { name: 'Conflicts' }).getByRole('row').nth(1);
      await conflict.getByText(`(theirs ${hostile})`, { exact: true }).waitFor();
      await conflict.getByText(`(an authority ${hostile})`, { exact: true }).waitFor();
      const sections = await first.locator('main h2').allTextContents();
      expect(sections.slice(0, 4)).toEqual(['Requests that wait for another person', 'Published lists', 'Conflicts', 'Find labels']);
      await expectCleanEverywhere(running, '/app/labels', (page) => page.getByText(failure, { exact: true }).waitFor());
    });

    test('two people add a label, and end it: it is applied, and the audit log has their acts', async () => {
      await running.visit(first, '/app/now');
      await first.getByRole('button', { name: 'More' }).click();
      await first.getByRole('navigation', { name: 'More' }).getByRole('link', { name: 'Labels and lists' }).click();
      await first.locator('h1:focus', { hasText: 'Labels and lists' }).waitFor();
      const ask = first.getByRole('region', { name: 'Ask for a change' });
      const fill = async (values: Readonly<Record<string, string>>): Promise<void> => {
        for (const [label, value] of Object.entries(values)) await ask.getByLabel(label, { exact: true }).fill(value);
      };
      await ask.getByRole('button', { name: 'Ask for it' }).click();
      // Nothing is sent before a chain and a category are chosen.
      await ask.getByText('Please select an item in the list.').first().waitFor();
      await chooseOfLabel(first, 'Chain', 'ethereum');
      await chooseOfLabel(first, 'Category', 'Scam');
      const source = `research ${hostile}`;
      await fill({
        Address: 'nobody',
        Name: `Mallory ${hostile}`,
        Source: source,
        Reason: `=seen ${hostile}`,
      });
      // What a field lacks goes when the focus does, and the button moves up.
      await ask.getByLabel('Reason', { exact: true }).blur();
      await ask.getByRole('button', { name: 'Ask for it' }).click();
      await ask.getByRole('alert').getByText('is no address').waitFor();
      await fill({ Address: listed });
      await ask.getByRole('button', { name: 'Ask for it' }).click();
      await ask.getByText('It waits for another person.').waitFor();
      await ask.getByRole('button', { name: 'Ask for it' }).and(first.locator(':focus')).waitFor();
      const requestsTable = 'Requests that wait for another person';
      const requests = first.getByRole('group', { name: requestsTable });
      await requests.getByText('on ethereum').waitFor();
      const asked = await exported(first, first, requestsTable);
      expect([asked.name, asked.lines.length]).toEqual(['label-requests.csv', 3]);
      expect(asked.lines[0]).toBe('Change,Name,Category,Source,Address,Chain,Holds until,Reason,Requested,Requested at');
      // No spreadsheet runs a cell as a formula.
      expect(asked.lines[1]).toMatch(/^Add a label,"Mallory .*,ethereum,,"'=seen .*,dev,20[^,]+Z$/);
      // Another person must approve.
      await requests.getByRole('button', { name: 'Take it back' }).waitFor();
      expect(await requests.getByRole('button', { name: 'Approve' }).count()).toBe(0);
      await expectCleanEverywhere(running, '/app/labels');

      await running.visit(second, '/app/labels');
      await second.getByRole('button', { name: 'Approve' }).click();
      await second.locator('h2:focus', { hasText: 'Requests that wait for another person' }).waitFor();
      await second.getByRole('status').filter({ hasText: 'The change is approved.' }).waitFor();
      await second.getByText('Applied', { exact: true }).waitFor();
      await running.visit(second, `/app/labels?address=${listed}`);
      const found = second.getByRole('group', { name: 'Labels found' });
      await found.getByText(`Mallory ${hostile}`).waitFor();
      const labels = await exported(second, second.getByRole('region', { name: 'Find labels' }));
      expect([labels.name, labels.lines.length]).toEqual(['labels.csv', 3]);
      expect(labels.lines[1]).toContain('ethereum,');
      await found.getByRole('link', { name: /^End it: the label/ }).click();
      const end = second.getByRole('region', { name: 'Ask for a change' });
      // The form is filled when the page has followed the link.
      await vi.waitFor(async () => expect(await end.getByLabel('Source', { exact: true }).inputValue()).toBe(source), limitMs);
      await end.getByLabel('Reason', { exact: true }).fill(`a mistake ${hostile}`);
      await end.getByRole('button', { name: 'Ask for it' }).click();
      await second.getByRole('group', { name: 'Requests that wait' }).getByText(`a mistake ${hostile}`).waitFor();
      await running.visit(first, `/app/labels?address=${listed}`);
      await first.getByText('they end when it is applied').waitFor();
      await first.getByText('In force now: 1 label on ethereum.').waitFor();
      await first.getByRole('button', { name: 'Approve' }).click();
      await first.getByText('Applied', { exact: true }).nth(1).waitFor();
      await running.visit(first, `/app/labels?address=${listed}`);
      await first.getByRole('group', { name: 'Labels found' }).locator('time').waitFor();
      await first.getByRole('group', { name: 'Latest changes' }).getByText('Ended').waitFor();
      await expectCleanEverywhere(running, `/app/labels?address=${listed}`);
      const pool = openPool({ url: connectToRunning(running.installation.dataDir) ?? '', max: 1 });
      const { rows } = await pool.query<{ action: string }>(
        `SELECT action FROM access.activities WHERE subject_type = 'labels' ORDER BY number`,
      );
      await pool.end();
      // Other flows of the installation may have asked before.
      expect(rows.slice(-4).map(({ action }) => action)).toEqual([
        'label_change_requested',
        'label_change_answered',
        'label_change_requested',
        'label_change_answered',
      ]);
    });

    test('a request that a person has begun stays while they find labels, and when they come back', async () => {
      await running.visit(first, '/app/labels');
      const ask = first.getByRole('region', { name: 'Ask for a change' });
      const find = first.getByRole('region', { name: 'Find labels' });
      await ask.getByLabel('Name', { exact: true }).fill('Begun');
      await ask.getByLabel('Reason', { exact: true }).fill('a long reason');
      await find.getByLabel('Address', { exact: true }).fill(listed);
      await find.getByRole('button', { name: 'Find' }).click();
      await first.waitForURL(/address=/);
      const expectBegun = async (): Promise<void> => {
        expect(await ask.getByLabel('Name', { exact: true }).inputValue()).toBe('Begun');
        expect(await ask.getByLabel('Reason', { exact: true }).inputValue()).toBe('a long reason');
      };
      await expectBegun();
      await first.getByRole('link', { name: 'Now', exact: true }).click();
      await first.locator('h1:focus', { hasText: 'Now' }).waitFor();
      await running.visit(first, '/app/labels');
      await expectBegun();
      // The label to end is another request, which stays, too, while more labels are found.
      await running.visit(first, `/app/labels?end=${listed}&of=somebody&category=scam`);
      await ask.getByLabel('Reason', { exact: true }).fill('over');
      await find.getByLabel('Source', { exact: true }).fill('nobody');
      await find.getByRole('button', { name: 'Find' }).click();
      await first.waitForURL(/source=nobody/);
      expect(await ask.getByLabel('Source', { exact: true }).inputValue()).toBe('somebody');
      expect(await ask.getByLabel('Reason', { exact: true }).inputValue()).toBe('over');
      await first.evaluate('sessionStorage.clear()');
    });

    test('the link of a source, far below what it finds, brings that into view', async () => {
      const page = await running.open('light', undefined, first.context());
      // The server reads all labels once a minute at most, so that it may not know the source yet.
      const [source, read_at] = ['a source to find', new Date().toISOString()];
      const known = { source, source_kind: 'curated', labels: 1, in_force: 1, imported_at: null };
      const lists = [{ name: 'ofac', checked_at: read_at, changed_at: null, labels: 3, failures: 2, error: 'HTTP 500' }];
      const service = { categories: ['exchange'], sources: ['one', 'two'] };
      const accusation = { categories: ['theft', 'scam'], sources: ['three'] };
      const conflicts = [{ chain: 'ethereum', address: listed, service, accusation, standing: 'accusation' }];
      await page.route('**/v1/label-sources', (route) => route.fulfill({ json: { sources: [known], lists, conflicts, read_at } }));
      await running.visit(page, '/app/labels');
      const link = page.getByRole('group', { name: 'Sources' }).getByRole('link', { name: source });
      await link.waitFor();
      expect(await exported(page, page.getByRole('region', { name: 'Sources' }), 'Sources')).toEqual({
        name: 'label-sources.csv',
        lines: ['Source,Kind,Labels,In force,Age', `${source},curated,1,1,`, ''],
      });
      expect(await exported(page, page, 'Published lists')).toEqual({
        name: 'label-lists.csv',
        lines: ['List,Last sync,Changed,Labels,Result', `ofac,${read_at},,3,failed 2 times: HTTP 500`, ''],
      });
      expect(await exported(page, page, 'Conflicts')).toEqual({
        name: 'label-conflicts.csv',
        lines: [
          'Address,Chain,Says service,Sources that say service,Accuses,Sources that accuse,Counts',
          `${listed},ethereum,exchange,"one, two","theft, scam",three,Accusation`,
          '',
        ],
      });
      // A table above that loads later would move the found labels down.
      await page.locator('main').getByText('Loading …').first().waitFor({ state: 'detached' });
      await link.click();
      await page.getByText('There is no such label.').waitFor();
      const isBelowHeader = async (): Promise<boolean> => {
        const y = (await page.getByRole('heading', { name: 'Find labels' }).boundingBox())?.y ?? 0;
        return y > 52 && y < 200;
      };
      await expect.poll(isBelowHeader, { timeout: limitMs }).toBe(true);
      await page.context().close();
    });

    test('the labels of a source are withdrawn, one request is rejected, and one is taken back', async () => {
      const source = 'a source to withdraw';
      const requests = (page: Page) =>
        page.getByRole('group', { name: /^(Requests that wait for another person|Answered requests)$/ }).getByRole('row');
      const form = (page: Page) => page.getByRole('region', { name: 'Ask for a change' });
      const send = async (values: Readonly<Record<string, string>>, by = first): Promise<void> => {
        for (const [label, value] of Object.entries(values))
          if (label === 'Chain' || label === 'Category') await chooseOfLabel(by, label, value);
          else await form(by).getByLabel(label, { exact: true }).fill(value);
        await form(by).getByRole('button', { name: 'Ask for it' }).click();
        await requests(by)
          .filter({ hasText: values['Reason'] ?? '' })
          .waitFor();
      };
      const label = { Chain: 'ethereum', Address: `0x${'b'.repeat(40)}`, Name: 'Eve', Category: 'Scam', Source: source };
      for (const reason of ['to be applied', 'to be rejected']) {
        const body = {
          action: 'add',
          chain: 'ethereum',
          address: label.Address,
          name: label.Name,
          category: 'scam',
          source,
          reason,
        };
        const posted = await first.evaluate(async (asked) => {
          const headers = { 'content-type': 'application/json' };
          return (await fetch('/v1/label-requests', { method: 'POST', headers, body: JSON.stringify(asked) })).status;
        }, body);
        expect(posted).toBe(201);
      }
      await running.visit(first, '/app/labels');
      // A reviewer approves nothing, and takes back only what is theirs.
      const reviewer = await running.open('light');
      await running.visit(reviewer, '/app/labels');
      await running.signIn(reviewer, await running.installation.addPerson('reviewer', 'Rita'));
      await send({ ...label, Reason: 'to be taken back' }, reviewer);
      expect(
        await requests(reviewer)
          .getByRole('button', { name: /^(Approve|Reject)$/ })
          .count(),
      ).toBe(0);
      const own = requests(reviewer).filter({ has: reviewer.getByRole('button', { name: 'Take it back' }) });
      await expect.poll(() => own.count(), { timeout: limitMs }).toBe(1);
      await own.filter({ hasText: 'to be taken back' }).getByRole('button', { name: 'Take it back' }).click();
      await requests(reviewer).filter({ hasText: 'to be taken back' }).getByText('Taken back', { exact: true }).waitFor();
      await reviewer.locator('h2:focus', { hasText: 'Requests that wait for another person' }).waitFor();
      await reviewer.getByRole('status').filter({ hasText: 'The request is taken back.' }).waitFor();
      await reviewer.context().close();
      await running.visit(second, '/app/labels');
      await requests(second).filter({ hasText: 'to be applied' }).getByRole('button', { name: 'Approve' }).click();
      await requests(second).filter({ hasText: 'to be rejected' }).getByRole('button', { name: 'Reject' }).click();
      await requests(second).filter({ hasText: 'to be rejected' }).getByText('Rejected', { exact: true }).waitFor();
      await requests(second).filter({ hasText: 'to be applied' }).getByText('Applied', { exact: true }).waitFor();
      expect((await answerTo(first, `/v1/labels?${new URLSearchParams({ source }).toString()}`)).items).toMatchObject([
        { name: 'Eve', valid_to: null },
      ]);

      const reason = `its publisher was wrong ${hostile}`;
      await form(first)
        .getByRole('button', { name: /Change$/ })
        .click();
      await first.getByRole('option', { name: 'Withdraw all labels of a source' }).click();
      await send({ Source: source, Reason: reason });
      await requests(second).filter({ hasText: reason }).getByText(`Withdraw all labels from ${source}`).waitFor();
      await requests(second).filter({ hasText: reason }).getByRole('button', { name: 'Approve' }).click();
      await requests(second).filter({ hasText: reason }).getByRole('cell', { name: 'Applied 1 label' }).waitFor();
      await running.visit(first, `/app/labels?${new URLSearchParams({ source }).toString()}`);
      await first.getByText('There is no such label.').waitFor();
      const change = first.getByRole('group', { name: 'Latest changes' }).getByRole('row').filter({ hasText: reason });
      await change.getByText('Withdrawn', { exact: true }).waitFor();
      const changes = await exported(first, first.getByRole('region', { name: 'Latest changes' }));
      expect([changes.name, changes.lines[1]?.includes(`,withdraw,1,${source},`)]).toEqual(['label-changes.csv', true]);
      expect((await answerTo(first, `/v1/labels?${new URLSearchParams({ source }).toString()}`)).items).toEqual([]);
      expect((await answerTo(first, '/v1/label-changes')).items[0]).toMatchObject({ action: 'withdraw', source, labels: 1, reason });
      expect((await answerTo(first, '/v1/label-requests')).items.slice(0, 4)).toMatchObject([
        { action: 'withdraw', state: 'applied', reason, requested_by: 'dev', answered_by: 'Ben' },
        { state: 'rejected', reason: 'to be taken back', requested_by: 'Rita', answered_by: 'Rita' },
        { state: 'rejected', reason: 'to be rejected', answered_by: 'Ben' },
        { state: 'applied', reason: 'to be applied' },
      ]);
      expect(running.complaints).toEqual([]);
    });
  });
}
