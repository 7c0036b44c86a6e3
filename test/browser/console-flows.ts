import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { expectClean, hostile, limitMs, openPages, type Pages, phoneSize, postDeposit } from './pages.ts';

/** What the scripted risk API says of each score. */
const grounds = {
  contributions: [
    { key: 'base', points: 3 },
    { key: 'in:direct:theft', points: 77 },
  ],
  counterfactuals: [{ without: 'in:direct:theft', score: 3, risk_level: 'Low' }],
};

/** The servers of a tier besides the installation. */
export interface ConsoleTier {
  prepare(): Promise<{ readonly env: Readonly<Record<string, string>>; close(): Promise<void> }>;
}

/** Expects what people do in the console to work, the same on every tier. */
export function expectConsole(tier: ConsoleTier): void {
  let below: Awaited<ReturnType<ConsoleTier['prepare']>> | undefined;
  let running: Pages;
  let first: Page;
  let second: Page;

  beforeAll(async () => {
    below = await tier.prepare();
    running = await openPages(below.env);
    ({ first, second } = running);
    running.upstream.answer(() => ({ data: { score: 80, risk_level: 'High', detail_list: [hostile], ...grounds } }));
  });
  afterAll(async () => {
    await running?.close();
    await below?.close();
  });

  let count = 0;

  /** A deposit that the default policy holds, with markup in each text that can hold it. */
  async function post(more: object = {}): Promise<{ id: string; path: string }> {
    const id = `in-${++count} ${hostile}`.slice(0, 128);
    const screening = await postDeposit(running, {
      deposit_id: id,
      coin: 'ETH',
      amount: '1.5',
      from_address: `0xb${count.toString(16).padStart(39, '0')}`,
      to_address: `0x${'c'.repeat(40)}`,
      user_id: `u ${hostile}`,
      ...more,
    });
    return { id, path: `/app/screenings/${screening}` };
  }

  const visit = (page: Page, path: string): Promise<void> => running.visit(page, path);

  test('the link has signed in, and is not in the address any more', () => {
    expect(first.url()).not.toContain('sign-in');
  });

  test('a posted deposit appears without a reload', async () => {
    await visit(first, '/app/now');
    await first.getByText('Live', { exact: true }).waitFor();
    const marker = '987.654321';
    await post({ amount: marker });
    await first.getByText(`${marker} ETH`).first().waitFor();
    await first
      .getByRole('region', { name: 'Rate budget today' })
      .getByText(/^\d+ of 1,000,000$/)
      .first()
      .waitFor();
    await first.getByRole('region', { name: 'Age of the data' }).getByText('There are no labels and no transfers').waitFor();
  });

  test('two people resolve: the first may not approve, and a stale page may not resolve again', async () => {
    const { path } = await post();
    const stale = await running.open('light', undefined, first.context());
    for (const page of [first, stale]) {
      await visit(page, path);
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByLabel('Reason').fill('the sender is known');
    }
    // The reader of the stale page is away, and the page learns of nothing.
    await stale.route('**/v1/**', (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()));
    await first.getByRole('button', { name: 'Allow this transfer' }).click();
    await first.getByText('dev wants to allow it').waitFor();
    // The server refuses it as well.
    expect(await first.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await stale.getByRole('button', { name: 'Allow this transfer' }).click();
    await stale
      .getByRole('alert')
      .filter({ hasText: /resolution|resolved/i })
      .waitFor();
    await stale.close();
    await visit(second, path);
    await second.getByRole('button', { name: 'Approve' }).click();
    await second.getByText('Allow: dev, Ben').waitFor();
    await first.getByText('Allowed', { exact: true }).first().waitFor();
    await first.getByRole('button', { name: 'Hold it again' }).click();
    await first.getByLabel('Reason').fill('a new report names the sender');
    await first.getByRole('button', { name: 'Hold it again' }).click();
    await first.getByText('Held', { exact: true }).first().waitFor();
  });

  test('a decision that falls while a page connects is shown without the next poll', async () => {
    const { upstream } = running;
    const answer = (isRunning: boolean): void =>
      upstream.answer(() => ({
        data: { score: 80, risk_level: 'High', detail_list: [hostile], ...grounds },
        ...(isRunning && { instead: { on: 'query', status: 200, body: '{"success":true,"msg":"TaskUnderRunning","data":{}}' } }),
      }));
    answer(true);
    const { path } = await post();
    const page = await running.open('light', undefined, first.context());
    await page.clock.install();
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/events', async (route) => {
      await held.promise;
      await route.continue();
    });
    await visit(page, path);
    await page.getByText('Open', { exact: true }).first().waitFor();
    // No poll comes from now on, for the page's time stands still.
    await page.clock.pauseAt(Date.now() + 2_000);
    answer(false);
    await visit(first, path);
    await first.getByRole('button', { name: 'Allow' }).waitFor();
    held.resolve();
    await page.getByText('Live', { exact: true }).waitFor();
    // Less than the 15 seconds of a poll pass for the page, however long the machine takes.
    const allow = page.getByRole('button', { name: 'Allow' });
    for (let ms = 0; ms < 6_000 && (await allow.count()) === 0; ms += 100) {
      await page.clock.runFor(100);
      // An answer of the server takes real time.
      await first.evaluate('fetch("/healthz").then(({ status }) => status)');
    }
    expect(await allow.count()).toBe(1);
    await page.context().close();
  });

  test('a case says what its score is made of, and what would change the level', async () => {
    const { path } = await post();
    await visit(first, path);
    const result = first.getByRole('region', { name: 'Result' });
    const finding = result.getByRole('row').filter({ hasText: 'money received from addresses labelled as stolen funds' });
    await finding.getByText('77.0', { exact: true }).waitFor();
    await result.getByRole('row').filter({ hasText: 'Score' }).getByText('80', { exact: true }).waitFor();
    await result.getByText('Without money received from addresses labelled as stolen funds: Low, score 3.').waitFor();
  });

  test('many reviews are resolved at once by two people, each by the rules of a single one', async () => {
    const user = 'u-bulk';
    const posted = [await post({ user_id: user }), await post({ user_id: user }), await post({ user_id: user })];
    const list = `/app/reviews?user_id=${user}`;
    await visit(first, list);
    const boxes = first.getByRole('checkbox', { name: 'Mark: Deposit 1.5 ETH' });
    await vi.waitFor(async () => expect(await boxes.count()).toBe(3), limitMs);
    await first.getByRole('list', { name: 'Further filters' }).getByText(`Customer: ${user}`).waitFor();
    await first.keyboard.press('j');
    await first.keyboard.press('x');
    for (const n of [1, 2])
      await first
        .getByRole('row')
        .nth(n + 1)
        .locator('label')
        .click();
    await first.getByText('3 marked').waitFor();
    // Another person is first with one of them.
    await visit(second, posted[1]?.path ?? '');
    await second.getByRole('button', { name: 'Block' }).click();
    await second.getByLabel('Reason').fill('known to us');
    await second.getByRole('button', { name: 'Block this transfer' }).click();
    await second.getByText('Ben wants to block it').waitFor();
    await first.getByRole('button', { name: /^Allow …/ }).click();
    await first.getByRole('dialog').getByLabel('Reason').fill('one customer, one known source');
    await first.getByRole('dialog').getByRole('button', { name: 'Allow this transfer' }).click();
    await first.getByText('Resolved with allow: 2.').waitFor();
    await first.getByText('1 review refused, and still marked:').waitFor();
    await first.getByText('1 marked').waitFor();
    // Nobody approves what he resolved, one by one or together.
    await visit(second, `${list}&state=pending_approval`);
    const waiting = second.getByRole('checkbox', { name: 'Mark: Deposit 1.5 ETH' });
    await vi.waitFor(async () => expect(await waiting.count()).toBe(3), limitMs);
    for (const n of [1, 2, 3]) await second.getByRole('row').nth(n).locator('label').click();
    await second.getByRole('button', { name: 'Approve (3)' }).click();
    // Whoever approves sees what, and by whom.
    const question = second.getByRole('dialog', { name: 'Approve 3 resolutions' });
    await question.getByText('Allow, dev: one customer, one known source').first().waitFor();
    await question.getByText('Block, Ben: known to us').waitFor();
    await expectClean(second, 'a question about many');
    await question.getByRole('button', { name: 'Approve' }).click();
    await second.getByText('Approved: 2.').waitFor();
    await second.getByText(/cannot approve/).waitFor();
    await expectClean(second, 'marked reviews');
    await visit(first, `/app/screenings?user_id=${user}`);
    await vi.waitFor(async () => expect(await first.getByText('Allowed', { exact: true }).count()).toBe(2), limitMs);
  });

  test('a filter is kept under a name for its person alone, and removed', async () => {
    await visit(first, '/app/reviews?level=High&user_id=u-bulk');
    await first.getByRole('button', { name: 'Save this view' }).click();
    await first.getByRole('dialog').getByLabel('Name').fill(`High ${hostile}`);
    await first.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await first.getByRole('dialog').waitFor({ state: 'detached' });
    await visit(first, '/app/reviews');
    const saved = first.getByRole('group', { name: 'Saved views' });
    await saved.getByRole('link', { name: `High ${hostile}` }).click();
    await first.waitForURL((url) => url.search === '?level=High');
    await visit(second, '/app/reviews?level=High');
    await second.getByRole('button', { name: 'Save this view' }).waitFor();
    expect(await second.getByRole('link', { name: hostile }).count()).toBe(0);
    await expectClean(first, 'saved views');
    await saved.getByRole('button', { name: /^Remove the view/ }).click();
    await saved.getByRole('link').waitFor({ state: 'detached' });
  });

  test('the list of screenings is exported as it is filtered', async () => {
    await post();
    await visit(first, '/app/screenings?action=review');
    await first.getByRole('link', { name: 'Deposit' }).first().waitFor();
    const downloading = first.waitForEvent('download');
    await first.getByRole('link', { name: 'Export as CSV' }).click();
    const lines = readFileSync(await (await downloading).path(), 'utf8').split('\r\n');
    expect(lines[0]).toMatch(/^screening_id,/);
    expect(lines[1]).toContain(',held,');
  });

  test('reviews and cases are exported as they are filtered', async () => {
    for (const list of ['reviews', 'cases']) {
      await visit(first, `/app/${list}`);
      const downloading = first.waitForEvent('download');
      await first.getByRole('link', { name: 'Export as CSV' }).click();
      expect((await downloading).suggestedFilename()).toBe(`${list}.csv`);
    }
  });

  test('the keys move through the queue, open a case, and begin to resolve it', async () => {
    await post();
    await visit(first, '/app/reviews');
    await first.getByRole('link', { name: 'Deposit' }).first().waitFor();
    await first.keyboard.press('j');
    await first.keyboard.press('Enter');
    await first.waitForURL(/\/app\/screenings\//);
    await first.getByRole('button', { name: 'Allow' }).waitFor();
    await first.keyboard.press('r');
    await first.getByLabel('Reason').waitFor();
    // A letter in a field is no key of the page.
    await first.getByLabel('Reason').press('n');
    const { pathname } = new URL(first.url());
    await first.getByRole('link', { name: 'Next review' }).focus();
    await first.keyboard.press('n');
    await first.waitForURL((url) => url.pathname.startsWith('/app/screenings/') && url.pathname !== pathname);
    // What was begun for the case before is not there.
    await first.getByRole('button', { name: 'Allow' }).waitFor();
  });

  test('a rejection has its reason and leaves the review open, and a due time is set', async () => {
    const { path } = await post();
    await visit(first, path);
    await first.getByRole('button', { name: 'Block' }).click();
    await first.getByLabel('Reason').fill('looks wrong');
    await first.getByRole('button', { name: 'Block this transfer' }).click();
    await visit(second, path);
    await second.getByRole('button', { name: 'Reject' }).click();
    await second.getByLabel('Reason').fill(`the sender is known ${hostile}`);
    await second.getByRole('button', { name: 'Reject' }).click();
    const line = second.getByRole('region', { name: 'Time line' });
    await line.getByText('Rejected it').waitFor();
    await line.getByText(`“the sender is known ${hostile}”,`).waitFor();
    await second.getByRole('button', { name: 'Allow' }).waitFor();
    await second.getByRole('button', { name: 'Set when it is due' }).click();
    await second.getByRole('menuitem', { name: 'in 4 hours' }).click();
    await second.getByText('Due: no time').waitFor({ state: 'detached' });
    await expectClean(second, 'a rejected resolution');
  });

  test('a note, and who has taken a review, are seen by others', async () => {
    const { path } = await post();
    await visit(first, path);
    await first.getByLabel('Note', { exact: true }).fill(`asked the customer ${hostile}`);
    await first.getByRole('button', { name: 'Add a note' }).click();
    await first.getByRole('button', { name: 'Take it' }).click();
    await visit(second, path);
    await second.getByText('asked the customer').waitFor();
    await second.getByText('Assigned to: dev').waitFor();
  });

  test('one field finds a transfer, an address and a customer', async () => {
    const { id, path } = await post({ user_id: 'u-found' });
    const search = async (text: string): Promise<void> => {
      await first.getByLabel('Search').fill(text);
      await first.getByLabel('Search').press('Enter');
    };
    await vi.waitFor(async () => {
      await search(id);
      await first.waitForURL((url) => url.pathname === path, { timeout: 3_000 });
    }, limitMs);
    await search('u-found');
    // The case that is left has links to the customer, too.
    await first.getByRole('region', { name: 'Customer', exact: true }).getByRole('link', { name: 'u-found' }).click();
    await first.getByRole('heading', { name: 'Customer u-found' }).waitFor();
    await first.getByRole('region', { name: 'Counterparties' }).getByRole('link').waitFor();
    await first.getByText('The policy in force has no window.').waitFor();
    await search('nobody-knows-this');
    await first.getByText('Nothing is known of').waitFor();
  });

  test('an address has a page with its transfers and its levels over time, which the search finds', async () => {
    const { id } = await post({ from_address: `0x${'d'.repeat(40)}` });
    const page = `/app/addresses/0x${'d'.repeat(40)}`;
    await vi.waitFor(async () => {
      await first.getByLabel('Search').fill(`0x${'D'.repeat(40)}`);
      await first.getByLabel('Search').press('Enter');
      await first.waitForURL((url) => url.pathname.toLowerCase() === page, { timeout: 3_000 });
    }, limitMs);
    await visit(first, page);
    await first.getByRole('heading', { name: `Address 0x${'d'.repeat(40)}` }).waitFor();
    await first.getByRole('figure', { name: 'Levels over time' }).locator('.recharts-bar-rectangle path').first().waitFor();
    await first.getByRole('table', { name: 'Transfers' }).getByRole('link', { name: 'Deposit' }).click();
    await first.getByText(id).first().waitFor();
  });

  test('an auditor reads, and is offered nothing that the role may not do', async () => {
    const { path } = await post();
    const page = await running.open('light');
    await visit(page, path);
    await page.getByLabel('Token').fill(running.installation.token('auditor'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Your role reads only.').waitFor();
    expect(await page.getByRole('button', { name: /Allow|Take it|Add a note/ }).count()).toBe(0);
    await visit(page, '/app/reviews');
    await page.getByRole('link', { name: 'Deposit' }).first().waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor();
    await page.context().close();
  });

  test('nothing that anybody wrote becomes markup, and the content security policy refused nothing', async () => {
    const { path } = await post();
    for (const page of [first, second]) {
      for (const view of ['/app/now', '/app/reviews', '/app/screenings', path, `/app/customers/${encodeURIComponent(`u ${hostile}`)}`]) {
        await visit(page, view);
        await page.getByRole('heading', { level: 1 }).waitFor();
        expect([view, await page.title(), await page.locator('main b, main img').count()]).toEqual([view, 'Weir', 0]);
      }
    }
    expect(running.complaints).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('axe finds nothing on any view, %s and on a phone', async (scheme) => {
    const { path } = await post();
    const wide = scheme === 'light' ? first : second;
    const phone = await running.open(scheme, phoneSize, wide.context());
    for (const page of [wide, phone]) {
      for (const view of ['/app/now', '/app/reviews', '/app/screenings', path, '/app/customers/u-found', '/app/search?q=nothing']) {
        await visit(page, view);
        await expectClean(page, view);
      }
    }
    await phone.context().close();
  });

  test('the first view is sent in less than 250 kB', async () => {
    const fresh = await running.open('light', undefined, first.context());
    await visit(fresh, '/app/now');
    await fresh.getByText('Live', { exact: true }).waitFor();
    const loaded = await fresh.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map((entry) => entry as unknown as { name: string; encodedBodySize: number; decodedBodySize: number })
        .map(({ name, encodedBodySize, decodedBodySize }) => ({ name, encodedBodySize, decodedBodySize })),
    );
    const files = loaded.filter(({ name }) => new URL(name).pathname.startsWith('/assets/'));
    const sum = (of: (file: (typeof files)[number]) => number): number => files.reduce((all, file) => all + of(file), 0);
    expect(sum(({ decodedBodySize }) => decodedBodySize)).toBeGreaterThan(500_000);
    expect(sum(({ encodedBodySize }) => encodedBodySize)).toBeLessThan(250_000);
    await fresh.context().close();
  });

  test('a page says that Weir is away, and recovers by itself', async () => {
    await visit(first, '/app/now');
    await first.getByText('Live', { exact: true }).waitFor();
    await running.installation.kill('both');
    await first.getByText('Not live: read again every 15 seconds').waitFor();
    await first.getByRole('alert').first().waitFor();
    await running.installation.start();
    await first.getByText('Live', { exact: true }).waitFor();
    await first.getByRole('alert').first().waitFor({ state: 'detached' });
  });
}
