import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectClean, expectCleanEverywhere, expectFile, exported, hostile, limitMs, phoneSize, postDeposit, setDue } from './pages.ts';
import type { TierPages } from './tiers.ts';

/** Expects cases to work, the same on every tier. */
export function expectCases(pages: () => TierPages): void {
  describe('cases', () => {
    let running: TierPages;
    let first: Page;
    let second: Page;
    let view: string;
    /** Of another customer, and due in a day. */
    let other: string;
    let review: string;

    beforeAll(async () => {
      running = pages();
      ({ first, second } = running);
      running.upstream.answer(() => ({ data: { score: 80, risk_level: 'High' } }));
      const post = (n: number, user = `u ${hostile}`): Promise<string> =>
        postDeposit(running, {
          deposit_id: `in-${n} ${hostile}`,
          coin: 'ETH',
          amount: '1.5',
          usd_value: '4500',
          from_address: `0xa${String(n).padStart(39, '0')}`,
          to_address: `0x${'c'.repeat(40)}`,
          user_id: user,
        });
      const caseOf = async (screening: string): Promise<string> => {
        await running.visit(first, `/app/screenings/${screening}`);
        await first.getByRole('link', { name: 'Case of related holds' }).click();
        await first.getByRole('heading', { name: /^Case: / }).waitFor();
        return new URL(first.url()).pathname;
      };
      other = await caseOf(await post(3, 'u-in-time'));
      await post(1);
      const screening = await post(2);
      review = `/app/screenings/${screening}`;
      view = await caseOf(screening);
      // Overdue from the start. The console looks for such cases every ten seconds.
      await setDue(first, view.replace('/app/', '/v1/'), new Date(Date.now() - 60_000));
    });

    test('related holds are one case, which the list shows and opens', async () => {
      await first.getByRole('link', { name: 'Cases' }).click();
      await first.getByRole('heading', { name: 'Cases' }).waitFor();
      await first
        .getByRole('button', { name: /^State|All/ })
        .first()
        .click();
      await first.getByRole('option', { name: 'Open', exact: true }).click();
      await first.waitForURL(/state=open/);
      await first.getByRole('table', { name: 'Cases' }).locator(`a[href^="${view}"]`).first().click();
      await first.waitForURL((url) => url.pathname === view);
      const holds = first.getByRole('region', { name: 'Holds' });
      await holds.getByRole('cell', { name: '1.5 ETH' }).nth(1).waitFor();
      const { name, lines } = await exported(first, holds, 'Holds');
      expect([name, lines.length]).toEqual(['holds.csv', (await holds.getByRole('row').count()) + 1]);
      expect(lines[0]).toBe('Requested,Kind,Amount,Coin,Value,From or to,Customer,Level,Decision,Screening');
      expect(lines).toContainEqual(expect.stringMatching(/^20[^,]+Z,Deposit,1\.5,ETH,4500,0xa0{38}2,.*,High,Review,/));
      const file = await holds
        .getByRole('link', { name: /^Case file/ })
        .first()
        .getAttribute('href');
      await expectFile(first, file, 'application/zip');
    });

    test('people write notes, take it, attach a file, close it with an outcome, and open it again', async () => {
      await running.visit(first, view);
      await first.getByLabel('Note', { exact: true }).fill(`both of one exchange ${hostile}`);
      await first.getByRole('button', { name: 'Add a note' }).click();
      await first.getByRole('button', { name: 'Take it' }).click();
      await first.getByRole('button', { name: 'Release it' }).waitFor();
      const text = `Statement of the customer. ${hostile}`;
      await first
        .locator('input[type=file]')
        .setInputFiles({ name: `note ${hostile}.txt`, mimeType: 'text/plain', buffer: Buffer.from(text) });
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
      await first.getByRole('status').filter({ hasText: 'Closed: False positive.' }).waitFor();
      await first.locator('h2:focus', { hasText: 'Work on the case' }).waitFor();
      await running.visit(second, view);
      await second.getByText('False positive by dev').waitFor();
      await second.getByText('both of one exchange').waitFor();
      await second.getByLabel('Reason').fill('too early');
      await second.getByRole('button', { name: 'Open it again' }).click();
      await second.getByRole('button', { name: 'Close with this outcome' }).waitFor();
      await second.getByRole('status').filter({ hasText: 'Open again.' }).waitFor();
      await second.locator('h2:focus', { hasText: 'Work on the case' }).waitFor();
    });

    test('a review takes a file by itself, whose name and content are nothing but text', async () => {
      await running.visit(first, review);
      const files = first.getByRole('region', { name: 'Attachments' });
      const text = `<script>document.title='hit'</script>${hostile}`;
      const name = `of the hold ${hostile}.html`;
      await files.getByText('There is no attachment.').waitFor();
      await first.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/html', buffer: Buffer.from(text) });
      await first.getByRole('region', { name: 'Time line' }).getByText(`Attached ${name}`).waitFor();
      const link = files.getByRole('link', { name });
      await link.waitFor();
      const kept = await first.evaluate(
        (path) => fetch(path).then(async (answer) => [answer.headers.get('content-type'), await answer.text()]),
        (await link.getAttribute('href')) ?? '',
      );
      expect(kept).toEqual(['application/octet-stream', text]);
      const downloading = first.waitForEvent('download');
      await link.click();
      await (await downloading).path();
      await first.locator('input[type=file]').setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from([0, 1, 2, 255]) });
      await first
        .getByRole('alert')
        .filter({ hasText: /none of/ })
        .waitFor();
      await expectCleanEverywhere(running, review, (page) => page.getByRole('link', { name }).waitFor());
    });

    test('an auditor reads it, and is offered no change', async () => {
      const page = await running.open('light');
      await running.visit(page, view);
      await running.signIn(page, running.installation.token('auditor'));
      await running.visit(page, view);
      await page.getByRole('heading', { name: /^Case: / }).waitFor();
      await page.getByText('both of one exchange').waitFor();
      expect(await page.getByRole('button', { name: /Take it|Release it|Assign to|Add a note|Attach|Close|Open it/ }).count()).toBe(0);
      await page.context().close();
      await running.visit(first, '/app/cases/00000000-0000-4000-8000-000000000000');
      await first.getByText('There is no case with this id.').waitFor();
    });

    test('a case past its due time is escalated, and the list shows which are', async () => {
      await running.visit(first, '/app/cases');
      const row = (of: string) =>
        first
          .getByRole('table', { name: 'Cases' })
          .getByRole('row')
          .filter({ has: first.locator(`a[href^="${of}"]`) });
      await row(other).waitFor();
      await first.getByRole('button', { name: /Escalation$/ }).click();
      await first.getByRole('option', { name: 'Escalated' }).click();
      await first.waitForURL(/escalated=true/);
      await row(view).getByText('Escalated', { exact: true }).waitFor();
      await row(other).waitFor({ state: 'detached' });
    });

    test('axe finds nothing on the list and on a case, light, dark and on a phone', async () => {
      for (const one of ['/app/cases', view]) await expectCleanEverywhere(running, one);
    });
  });
}

/** Expects lists that are longer than a page to work, and axe to find nothing on one. */
export function expectLongLists(pages: () => TierPages): void {
  const count = 130;
  const user = 'u-many';

  test('axe finds nothing on a list that is longer than a page, at its begin and at its end', async () => {
    const running = pages();
    const { first, second } = running;
    running.upstream.answer(() => ({ data: { score: 80, risk_level: 'High' } }));
    for (let n = 0; n < count; n += 1)
      await postDeposit(running, {
        deposit_id: `many-${n}`,
        coin: 'ETH',
        amount: '1.5',
        from_address: `0xb${String(n).padStart(39, '0')}`,
        to_address: `0x${'c'.repeat(40)}`,
        user_id: user,
      });
    const list = `/app/screenings?user_id=${user}`;
    const phone = await running.open('dark', phoneSize, second.context());
    for (const page of [first, phone]) {
      await running.visit(page, list);
      await page.getByText('100 or more', { exact: true }).waitFor();
      await expectClean(page, `${list}: its begin`);
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByText(`${count}`, { exact: true }).waitFor();
      await page.getByRole('table').first().focus();
      await page.keyboard.press('End');
      await page.locator(`[aria-rowindex="${count + 1}"]`).waitFor();
      await expectClean(page, `${list}: its end`);
    }
    await phone.context().close();
  });

  test('the review after the last of a page is the first of the next page', async () => {
    const running = pages();
    const { installation, first } = running;
    const read = async (cursor: string) => {
      const answer = await fetch(`${installation.url}/v1/reviews?limit=100&user_id=${user}&cursor=${cursor}`, {
        headers: { authorization: `Bearer ${installation.token('auditor')}` },
      });
      return (await answer.json()) as { items: { screening_id: string }[]; next_cursor: string | null };
    };
    const readBoth = async () => {
      const page = await read('');
      return { last: page.items.at(-1), following: page.next_cursor === null ? [] : (await read(page.next_cursor)).items };
    };
    await expect.poll(async () => (await readBoth()).following.length, { timeout: limitMs }).toBe(count - 100);
    const { last, following } = await readBoth();
    await running.visit(first, `/app/screenings/${last?.screening_id}?user_id=${user}`);
    await first.getByRole('link', { name: 'Next review' }).click();
    const ids = [last, ...following].map((row) => row?.screening_id);
    await expect.poll(() => ids.indexOf(new URL(first.url()).pathname.replace('/app/screenings/', '')), { timeout: limitMs }).toBe(1);
  });
}
