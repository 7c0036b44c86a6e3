import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  answerTo,
  expectClean,
  expectCleanEverywhere,
  expectFile,
  exported,
  hostile,
  limitMs,
  phoneSize,
  postDeposit,
  setDue,
} from './pages.ts';
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
      const work = first.getByRole('region', { name: 'Work on the case' });
      await work.getByText(/\d transfers of this case still wait\. A closed case is not escalated/).waitFor();
      await first.getByRole('button', { name: 'Close with this outcome' }).click();
      // No outcome is preset.
      await work.getByRole('button', { name: /Choose/ }).click();
      await first.getByRole('option', { name: 'False positive' }).click();
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

    test('what is begun in one case stays there, also on the way through another one', async () => {
      const page = await running.open('light', undefined, first.context());
      await running.visit(page, view);
      const work = page.getByRole('region', { name: 'Work on the case' });
      await work.getByLabel('Reason').fill('begun in the first case');
      const [id] = other.split('/').slice(-1);
      await page.getByLabel('Search').fill(id ?? '');
      await page.getByLabel('Search').press('Enter');
      await page.waitForURL((url) => url.pathname === other);
      await page.locator('h1:focus').waitFor();
      expect(await work.getByLabel('Reason').inputValue()).toBe('');
      await work.getByLabel('Reason').fill('begun in the other case');
      await page.goBack();
      await page.waitForURL((url) => url.pathname === view);
      await expect.poll(() => work.getByLabel('Reason').inputValue(), { timeout: limitMs }).toBe('begun in the first case');
      await running.visit(page, other);
      await expect.poll(() => work.getByLabel('Reason').inputValue(), { timeout: limitMs }).toBe('begun in the other case');
      await page.context().close();
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

  describe('long lists', () => {
    let running: TierPages;
    let first: Page;

    const post = (n: number, of: string): Promise<string> =>
      postDeposit(running, {
        deposit_id: `${of}-${n}`,
        coin: 'ETH',
        amount: '1.5',
        from_address: `0xb${String(n).padStart(39, '0')}`,
        to_address: `0x${'c'.repeat(40)}`,
        user_id: of,
      });
    /** In the order of the page. */
    const read = async (cursor = ''): Promise<{ ids: string[]; next: string | null }> => {
      const path = `/v1/reviews?sort=due&limit=100&user_id=${user}&cursor=${cursor}`;
      const { items, next_cursor: next } = await answerTo(first, path);
      return { ids: items.map((row: { screening_id: string }) => row.screening_id), next };
    };
    const readBoth = async (): Promise<string[]> => {
      const { ids, next } = await read();
      return next === null ? ids : [...ids, ...(await read(next)).ids];
    };
    /** Until the page has drawn what it was answered. */
    const settle = () =>
      first.evaluate('fetch("/healthz").then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))');
    const shown = (): string => new URL(first.url()).pathname.replace('/app/screenings/', '');

    beforeAll(async () => {
      running = pages();
      ({ first } = running);
      running.upstream.answer(() => ({ data: { score: 80, risk_level: 'High' } }));
      for (let n = 0; n < count; n += 1) await post(n, user);
      await vi.waitFor(async () => expect(await readBoth()).toHaveLength(count), limitMs);
    });

    test('axe finds nothing on a list that is longer than a page, at its begin and at its end', async () => {
      const list = `/app/screenings?user_id=${user}`;
      const phone = await running.open('dark', phoneSize, running.second.context());
      for (const page of [first, phone]) {
        await running.visit(page, list);
        await page.getByText('100 or more listed', { exact: true }).waitFor();
        await expectClean(page, `${list}: its begin`);
        await page.getByRole('button', { name: 'Show more' }).click();
        await page.getByText(`${count} listed`, { exact: true }).waitFor();
        await page.getByRole('table').first().focus();
        await page.keyboard.press('End');
        await page.locator(`[aria-rowindex="${count + 1}"]`).waitFor();
        // Where the page is scrolled, its header covers parts of the filters, whose size cannot be measured then.
        await page.evaluate('window.scrollTo(0, 0)');
        await expectClean(page, `${list}: its end`);
      }
      await phone.context().close();
    });

    test('a list that was left long ago has its chosen row again, far below', async () => {
      const page = await running.open('light', undefined, first.context());
      await page.clock.install();
      await running.visit(page, `/app/reviews?user_id=${user}`);
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByText(`${count} listed`, { exact: true }).waitFor();
      await page.getByRole('table').first().focus();
      await page.keyboard.press('End');
      await page.locator(`[aria-rowindex="${count}"]`).getByRole('link', { name: 'Deposit' }).click();
      await page.locator('h1:focus').waitFor();
      await page.getByRole('link', { name: 'Now', exact: true }).click();
      await page.locator('h1:focus', { hasText: 'Now' }).waitFor();
      await page.clock.fastForward('06:00');
      const listing = page.waitForRequest((request) => new URL(request.url()).searchParams.get('user_id') === user);
      await page.goBack();
      await page.goBack();
      await listing;
      await page.locator(`[aria-rowindex="${count}"][aria-selected=true]`).waitFor();
      await page.getByText(`${count} listed`, { exact: true }).waitFor();
      await page.context().close();
    });

    test('the review after the last of a page is the first of the next page, which no event keeps from loading', async () => {
      // The order of the page is not that of the requests.
      const [early = ''] = await readBoth();
      await setDue(first, `/v1/reviews/${early}`, new Date(Date.now() + 7 * 86_400_000));
      const ids = await readBoth();
      expect(ids.at(-1)).toBe(early);
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      onTestFinished(() => release());
      const isFurther = (url: URL): boolean => url.pathname === '/v1/reviews' && (url.searchParams.get('cursor') ?? '') !== '';
      let asked = 0;
      await first.route(isFurther, async (route) => {
        asked += 1;
        await released;
        await route.continue().catch(() => undefined);
      });
      const asking = first.waitForRequest((request) => isFurther(new URL(request.url())));
      await running.visit(first, `/app/screenings/${ids[99]}?user_id=${user}`);
      await first.getByText('Live', { exact: true }).waitFor();
      await asking;
      // The event reads the view again.
      await first.getByRole('button', { name: 'Allow' }).waitFor();
      const rereading = first.waitForResponse((answer) => answer.url().endsWith(`/v1/screenings/${ids[99]}`));
      await post(0, 'u-beside');
      await rereading;
      await settle();
      expect([asked, await first.getByRole('link', { name: 'Next review' }).count()]).toEqual([1, 0]);
      release();
      await first.getByRole('link', { name: 'Next review' }).click();
      await expect.poll(() => ids.indexOf(shown()), { timeout: limitMs }).toBe(100);
      await first.unroute(isFurther);
    });

    test('the review after one that leaves the queue is the one that stood behind it', async () => {
      const ids = await readBoth();
      await running.visit(first, `/app/screenings/${ids[20]}?user_id=${user}&state=open`);
      const next = first.getByRole('link', { name: 'Next review' });
      await expect.poll(() => next.getAttribute('href'), { timeout: limitMs }).toContain(ids[21]);
      const listing = first.waitForResponse(
        async (answer) => new URL(answer.url()).pathname === '/v1/reviews' && !(await answer.text()).includes(ids[20] ?? ''),
      );
      await first.getByRole('button', { name: 'Allow' }).click();
      await first.getByLabel('Reason').fill('known');
      await first.getByRole('button', { name: 'Allow this transfer' }).click();
      await first.locator('h2:focus', { hasText: 'Resolve' }).waitFor();
      await listing;
      await settle();
      await next.click();
      await expect.poll(() => ids.indexOf(shown()), { timeout: limitMs }).toBe(21);
    });
  });
}
