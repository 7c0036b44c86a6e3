import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import {
  answerTo,
  beforePoll,
  chooseOfLabel,
  expectClean,
  expectCleanNow,
  expectCleanPageNow,
  expectFile,
  exported,
  hostile,
  limitMs,
  openPages,
  type Pages,
  phoneSize,
  postDeposit,
  setDue,
  signIn,
  signOut,
  stopClock,
  titled,
  wideSize,
} from './pages.ts';
import type { Tier } from './tiers.ts';

/** What the scripted risk API says of each score. */
const highScore = {
  score: 80,
  risk_level: 'High',
  detail_list: [hostile],
  contributions: [
    { key: 'base', points: 3 },
    { key: 'in:direct:theft', points: 77 },
  ],
  counterfactuals: [{ without: 'in:direct:theft', score: 3, risk_level: 'Low' }],
};

const hop = {
  txid: `hop ${hostile}`,
  time: '2026-01-02T03:04:05Z',
  coin: hostile,
  amount: '1',
  usd: 5,
  from: `from ${hostile}`,
  to: hostile,
};
/** A provider's answer with markup in each text that it can hold. */
const hostileAnswer = {
  score: 80,
  risk_level: 'High',
  hacking_event: `hacking_event ${hostile}`,
  address_label: `address_label ${hostile}`,
  detail_list: [`detail ${hostile}`],
  risk_detail: [
    {
      entity: `entity ${hostile}`,
      risk_type: `risk_type ${hostile}`,
      exposure_type: 'direct',
      hop_num: 1,
      volume: 5,
      percent: 50,
      side: 'in',
      counterparty: `counterparty ${hostile}`,
      path: [hop],
      sources: [`source ${hostile}`],
    },
  ],
  contributions: [
    { key: 'base', points: 3 },
    { key: `in:direct:contribution ${hostile}`, points: 77 },
  ],
  counterfactuals: [{ without: `without ${hostile}`, score: 3, risk_level: 'Low' }],
};

/** Expects what people do in the console to work, the same on every tier. */
export function expectConsole(tier: Tier): void {
  let below: Awaited<ReturnType<Tier['prepare']>> | undefined;
  let running: Pages;
  let first: Page;
  let second: Page;

  beforeAll(async () => {
    below = await tier.prepare();
    running = await openPages(below.env);
    ({ first, second } = running);
    running.upstream.answer(() => ({ data: highScore }));
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
      .getByRole('region', { name: 'Questions to the provider today (rate budget)' })
      .getByText(/^\d+ of 1,000,000$/)
      .first()
      .waitFor();
    await first
      .getByRole('region', { name: 'System health' })
      .getByText(/^(Every part works\.|Weir, as one process)$/)
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
    await second.route('**/approvals', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 });
    await second.getByRole('button', { name: 'Approve' }).press('Enter');
    await second.getByRole('alert').waitFor();
    // An answer that failed leaves the focus where it was.
    await second.locator('button:focus', { hasText: 'Approve' }).press('Enter');
    await second.getByText('Allow: dev, Ben').waitFor();
    await first.getByText('Allowed', { exact: true }).first().waitFor();
    await first.getByRole('button', { name: 'Hold it again' }).click();
    await first.getByLabel('Reason').fill('a new report names the sender');
    await expectCleanNow(first, 'a transfer to hold again');
    await first.getByRole('button', { name: 'Hold it again' }).click();
    await first.getByText('Held', { exact: true }).first().waitFor();
  });

  test('after an act the heading has the focus, and a status says what was done and what is next', async () => {
    const user_id = 'u-said';
    const { path } = await post({ user_id, amount: '7.5' });
    await post({ user_id, amount: '8.5' });
    const search = `?user_id=${user_id}&sort=oldest`;
    await vi.waitFor(async () => expect((await answerTo(first, `/v1/reviews${search}&state=open`)).items).toHaveLength(2), limitMs);
    const acted = async (page: Page, said: string, button: string): Promise<void> => {
      // The region stands there before the act.
      const region = await page.locator('main + [role=status]').elementHandle();
      await page.getByRole('button', { name: button }).click();
      await page.locator('h2:focus', { hasText: 'Resolve' }).waitFor();
      await expect.poll(() => region?.evaluate((status) => status.textContent), { timeout: limitMs }).toBe(said);
    };
    await visit(first, `${path}${search}`);
    await first.getByRole('link', { name: 'Next review' }).waitFor();
    await first.getByRole('button', { name: 'Block' }).click();
    await first.getByLabel('Reason').fill('seen before');
    await acted(first, 'Resolved: block. Next: Deposit 8.5 ETH.', 'Block this transfer');
    await first.getByText('dev wants to block it').waitFor();
    expect(await first.locator('h2:focus').count()).toBe(1);
    await visit(second, `${path}${search}`);
    await second.getByRole('link', { name: 'Next review' }).waitFor();
    await second.getByRole('button', { name: 'Reject' }).click();
    await second.getByLabel('Reason').fill('too little');
    await acted(second, 'Rejected: the review is open again. Next: Deposit 8.5 ETH.', 'Reject');
    await second.getByRole('button', { name: 'Block' }).waitFor();
    await second.getByRole('button', { name: 'Block' }).click();
    await second.getByLabel('Reason').fill('enough now');
    await acted(second, 'Resolved: block. Next: Deposit 8.5 ETH.', 'Block this transfer');
    await first.getByText('Ben wants to block it').waitFor();
    await acted(first, 'Approved. Next: Deposit 8.5 ETH.', 'Approve');
    await first.getByText('Block: Ben, dev').waitFor();
    await first.getByRole('button', { name: 'Hold it again' }).click();
    await first.getByLabel('Reason').fill('a new report');
    await acted(first, 'Held again. Next: Deposit 8.5 ETH.', 'Hold it again');
    // The next one at once, by its key; it has not been acted on.
    await first.keyboard.press('n');
    await first.locator('h1:focus', { hasText: '8.5 ETH' }).waitFor();
    expect(await first.getByText('Held again.').count()).toBe(0);
  });

  test('what was done without a network fails at once, and is not done later', async () => {
    const { path } = await post();
    const page = await running.open('light', undefined, second.context());
    await visit(page, path);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByLabel('Reason').fill('done without a network');
    await page.context().setOffline(true);
    await page.getByText('Not live: read again every 15 seconds').waitFor();
    await page.getByRole('button', { name: 'Allow this transfer' }).click();
    await page.getByRole('alert').filter({ hasText: 'Weir does not answer' }).first().waitFor();
    await expectCleanPageNow(page, 'a case without a network');
    await page.context().setOffline(false);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.reload();
    // The draft is there, and nothing was done with it.
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    expect(await page.getByText('done without a network').count()).toBe(0);
    await page.context().close();
  });

  test('a decision is shown sooner than a poll', async () => {
    await post();
    const watching = await running.open('light', undefined, first.context());
    await watching.clock.install();
    await visit(watching, '/app/now');
    await watching.getByText('Live', { exact: true }).waitFor();
    await watching.getByRole('table', { name: 'Latest screenings' }).getByRole('link').first().waitFor();
    await stopClock(watching);
    await post({ amount: '876.54321' });
    const decided = watching.getByText('876.54321 ETH').first();
    await beforePoll(watching)(() => decided.count(), 1);
    await watching.context().close();
  });

  test('a decision that falls while a page connects is shown without the next poll', async () => {
    const { upstream } = running;
    const answer = (isRunning: boolean): void =>
      upstream.answer(() => ({
        data: highScore,
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
    await stopClock(page);
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

  test('back from a review, the list has its chosen row and the marks, but of what ended meanwhile', async () => {
    const user_id = 'u-back';
    const [one, other] = [await post({ user_id }), await post({ user_id })];
    await visit(first, `/app/reviews?user_id=${user_id}&state=open&sort=oldest`);
    await vi.waitFor(async () => expect(await first.getByRole('link', { name: 'Deposit' }).count()).toBe(2), limitMs);
    for (const key of ['j', 'x', 'j', 'x', 'k']) await first.keyboard.press(key);
    await first.getByText('2 marked').waitFor();
    await first.keyboard.press('Enter');
    await first.locator('h1:focus', { hasText: '1.5 ETH' }).waitFor();
    await visit(second, other.path);
    await second.getByRole('button', { name: 'Block' }).click();
    await second.getByLabel('Reason').fill('known to us');
    await second.getByRole('button', { name: 'Block this transfer' }).click();
    await second.getByText('Ben wants to block it').waitFor();
    await first.goBack();
    await first.getByText('1 marked').waitFor();
    const chosen = first.getByRole('row', { selected: true });
    expect(await chosen.getByRole('link', { name: 'Deposit' }).getAttribute('href')).toContain(one.path);
    expect(await chosen.getByRole('checkbox').isChecked()).toBe(true);
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
    await expectCleanNow(second, 'a review to resolve');
    await second.getByRole('button', { name: 'Block this transfer' }).click();
    await second.getByText('Ben wants to block it').waitFor();
    await first.getByRole('button', { name: /^Allow …/ }).click();
    await first.getByRole('dialog').getByLabel('Reason').fill('one customer, one known source');
    await expectCleanNow(first, 'reviews to allow together');
    await first.getByRole('dialog').getByRole('button', { name: 'Allow this transfer' }).click();
    await first.getByText('Resolved with allow: 2.').waitFor();
    await first.getByText('1 review refused, and still marked:').waitFor();
    await first.getByText('1 marked').waitFor();
    await first.locator('[role=status]:focus', { hasText: 'Resolved with allow: 2.' }).waitFor();
    // Nobody approves what he resolved, one by one or together.
    await visit(second, `${list}&state=pending_approval`);
    const waiting = second.getByRole('checkbox', { name: 'Mark: Deposit 1.5 ETH' });
    await vi.waitFor(async () => expect(await waiting.count()).toBe(3), limitMs);
    expect(await second.getByRole('cell').getByText('second person').count()).toBe(3);
    await second.getByTitle('Ben wants to block it. Another person answers.').waitFor();
    for (const n of [1, 2, 3]) await second.getByRole('row').nth(n).locator('label').click();
    await second.getByText('3 marked').waitFor();
    await second.getByRole('button', { name: 'Approve (2)' }).click();
    // Whoever approves sees what, and by whom.
    const question = second.getByRole('dialog', { name: 'Approve 2 resolutions' });
    await question.getByText('Allow, dev: one customer, one known source').first().waitFor();
    expect(await question.getByText('Block, Ben: known to us').count()).toBe(0);
    await expectClean(second, 'a question about many');
    await question.getByRole('button', { name: 'Approve' }).click();
    await second.getByText('Approved: 2.').waitFor();
    await second.getByText('1 marked').waitFor();
    await second.locator('[role=status]:focus', { hasText: 'Approved: 2.' }).waitFor();
    await expectClean(second, 'marked reviews');
    await second.getByRole('button', { name: 'Clear', exact: true }).click();
    await second.locator('h1:focus', { hasText: 'Reviews' }).waitFor();
    await visit(first, `/app/screenings?user_id=${user}`);
    await vi.waitFor(async () => expect(await first.getByText('Allowed', { exact: true }).count()).toBe(2), limitMs);
  });

  test('a filter is kept under a name for its person alone, and removed', async () => {
    const query = { level: 'High', user_id: 'u-bulk', since: '2026-01-01T00:00:00.000Z' };
    await visit(first, `/app/reviews?${new URLSearchParams(query).toString()}`);
    await first.getByRole('button', { name: 'Save this view' }).click();
    await first.getByRole('dialog').getByLabel('Name').fill(`High ${hostile}`);
    await expectCleanNow(first, 'a view to save');
    await first.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await first.getByRole('dialog').waitFor({ state: 'detached' });
    await visit(first, '/app/reviews');
    const saved = first.getByRole('group', { name: 'Saved views' });
    await saved.getByRole('link', { name: `High ${hostile}` }).click();
    await first.waitForURL(({ searchParams }) => searchParams.has('level'));
    expect(Object.fromEntries(new URL(first.url()).searchParams)).toEqual(query);
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
    const { lines } = await exported(first);
    expect(lines[0]).toMatch(/^screening_id,/);
    expect(lines[1]).toContain(',held,');
  });

  test('times are the zone of the reader, or UTC by a key, and the browser remembers', async () => {
    await post();
    await visit(first, '/app/screenings');
    const shown = first.locator('main time').first();
    await shown.waitFor();
    const isUtc = async (): Promise<boolean> => ((await shown.textContent()) ?? '').endsWith(' UTC');
    expect(await isUtc()).toBe(false);
    await first.keyboard.press('u');
    await vi.waitFor(async () => expect(await isUtc()).toBe(true), limitMs);
    await first.reload();
    await first.getByRole('button', { name: 'Your account' }).click();
    await first.getByRole('button', { name: 'Times: UTC' }).click();
    await vi.waitFor(async () => expect(await isUtc()).toBe(false), limitMs);
  });

  test('labels and files that people add stay text', async () => {
    const label = {
      Address: `0x${'e'.repeat(40)}`,
      Name: `Mallory ${hostile}`,
      Source: `research ${hostile}`,
    };
    await visit(first, '/app/labels');
    const ask = first.getByRole('region', { name: 'Ask for a change' });
    await chooseOfLabel(first, 'Chain', 'ethereum');
    await chooseOfLabel(first, 'Category', 'Scam');
    for (const [field, text] of Object.entries({ ...label, Reason: `seen ${hostile}` }))
      await ask.getByLabel(field, { exact: true }).fill(text);
    await ask.getByRole('button', { name: 'Ask for it' }).click();
    await ask.getByText('It waits for another person.').waitFor();
    await visit(second, '/app/labels');
    await second.getByRole('button', { name: 'Approve' }).click();
    await second.getByText('Applied', { exact: true }).waitFor();
    await visit(second, `/app/labels?address=${label.Address}`);
    await second.getByRole('group', { name: 'Labels found' }).getByText(label.Name).waitFor();
    const { path } = await post({ user_id: 'u-file' });
    await post({ user_id: 'u-file' });
    await visit(first, path);
    await first.getByRole('link', { name: 'Case of related holds' }).click();
    await first.getByRole('heading', { name: /^Case: / }).waitFor();
    const name = `note ${hostile}.txt`;
    await first.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(hostile) });
    await first.getByRole('region', { name: 'Attachments' }).getByRole('link', { name }).waitFor();
    for (const page of [first, second]) expect([await page.title(), await page.locator('b, img').count()]).toEqual([titled, 0]);
    expect(running.complaints).toEqual([]);
  });

  test('reviews and cases are exported as they are filtered', async () => {
    for (const list of ['reviews', 'cases']) {
      await visit(first, `/app/${list}`);
      expect((await exported(first)).name).toBe(`${list}.csv`);
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

  test('the keys are turned off in the account menu, and the browser remembers', async () => {
    await visit(first, '/app/reviews');
    await first.getByText('Keys: j and k move').waitFor();
    const search = first.getByLabel('Search');
    const goesToSearch = async (): Promise<boolean> => {
      await first.keyboard.press('/');
      return search.evaluate((field) => field.matches(':focus'));
    };
    const turn = async (name: string): Promise<void> => {
      await first.getByRole('button', { name: 'Your account' }).click();
      if (name === 'Keys: on') await expectCleanNow(first, 'the account menu');
      await first.getByRole('button', { name }).click();
      await first.keyboard.press('Escape');
      await first.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await turn('Keys: on');
    expect([await goesToSearch(), await first.getByText('Keys: j and k move').count()]).toEqual([false, 0]);
    await first.reload();
    await first.getByText('Live', { exact: true }).waitFor();
    expect(await goesToSearch()).toBe(false);
    await turn('Keys: off');
    expect(await goesToSearch()).toBe(true);
  });

  test('another view has its own title, and its heading has the focus; a filter keeps the focus', async () => {
    const { path } = await post();
    await visit(first, '/app/now');
    await first.getByRole('heading', { name: 'Now' }).waitFor();
    expect([await first.title(), await first.locator('h1:focus').count()]).toEqual(['Now · Weir', 0]);
    await first.getByRole('link', { name: 'Reviews', exact: true }).click();
    await first.locator('h1:focus', { hasText: 'Reviews' }).waitFor();
    expect(await first.title()).toBe('Reviews · Weir');
    await first.getByLabel('USD from').fill('1');
    await first.waitForURL(/min_usd=1/);
    expect(await first.getByLabel('USD from').evaluate((field) => field.matches(':focus'))).toBe(true);
    await first.getByLabel('Search').fill(path.split('/').at(-1) ?? '');
    await first.getByLabel('Search').press('Enter');
    await first.waitForURL((url) => url.pathname === path);
    await first.locator('h1:focus', { hasText: 'Deposit' }).waitFor();
    expect(await first.title()).toMatch(/^Screening .{10}….{6} · Weir$/);
  });

  test('a reason outlives the session that it was begun in, and the key presets no decision', async () => {
    const { path } = await post();
    const token = await running.installation.addPerson('reviewer', 'Cleo');
    const page = await running.open('light');
    await page.route('**/v1/session', (route) => route.abort());
    await visit(page, path);
    await page.getByRole('alert').getByText('The page tries again by itself.').waitFor();
    await page.unroute('**/v1/session');
    await signIn(page, token);
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await page.keyboard.press('r');
    await page.getByLabel('Reason').fill('half a reason');
    await page.getByRole('button', { name: 'Allow this transfer' }).waitFor();
    await page.context().clearCookies();
    await page.reload();
    await signIn(page, token);
    await vi.waitFor(async () => expect(await page.getByLabel('Reason').inputValue()).toBe('half a reason'), limitMs);
    await page.getByRole('button', { name: 'Block this transfer' }).click();
    await page.getByText('Cleo wants to block it').waitFor();
    await page.reload();
    await page.getByText('Cleo wants to block it').waitFor();
    expect(await page.evaluate('Object.keys(sessionStorage).filter((key) => key.startsWith("weir.draft")).length')).toBe(0);
    await page.context().close();
  });

  test('signing out without an answer says so, and another tab leaves nothing to who signs in next', async () => {
    const { path } = await post();
    const page = await running.open('light');
    await visit(page, path);
    await signIn(page, await running.installation.addPerson('reviewer', 'Ann'));
    const other = await page.context().newPage();
    await visit(other, path);
    await other.getByRole('button', { name: 'Allow', exact: true }).click();
    await other.getByLabel('Reason').fill('of Ann');
    await page.route('**/v1/session', (route) => (route.request().method() === 'DELETE' ? route.abort() : route.continue()));
    await signOut(page);
    await page.getByText('you are still signed in').waitFor();
    await page.unroute('**/v1/session');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, await running.installation.addPerson('reviewer', 'Bob'));
    // As when the reader comes back to the tab.
    await other.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await other.getByRole('button', { name: 'Bob: Your account' }).waitFor();
    await other.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    expect(await other.getByLabel('Reason').count()).toBe(0);
    expect(await other.evaluate('Object.keys(sessionStorage).filter((key) => key.startsWith("weir.draft")).length')).toBe(0);
    await page.context().close();
  });

  test('the next review is of the queue that a case was opened from', async () => {
    await post();
    for (const amount of ['2.5', '3.5']) await post({ user_id: 'u-next', amount });
    await visit(first, '/app/reviews?user_id=u-next&sort=oldest');
    const links = first.getByRole('link', { name: 'Deposit' });
    await vi.waitFor(async () => expect(await links.count()).toBe(2), limitMs);
    await links.first().click();
    await first.getByRole('heading', { name: /2\.5 ETH/ }).waitFor();
    const aside = first.getByRole('region', { name: 'Resolve' });
    // The key goes on before the review is loaded, too.
    const { promise: loaded, resolve: load } = Promise.withResolvers<void>();
    onTestFinished(() => load());
    await first.route('**/v1/reviews/*', async (route) => {
      await loaded;
      await route.fallback().catch(() => undefined);
    });
    await aside.getByRole('link', { name: 'Next review' }).click();
    await first.getByRole('heading', { name: /3\.5 ETH/ }).waitFor();
    await first.keyboard.press('n');
    await first.getByRole('heading', { name: /2\.5 ETH/ }).waitFor();
    load();
    await first.unrouteAll({ behavior: 'wait' });
    await aside.getByRole('link', { name: 'Reviews' }).click();
    await first.waitForURL((url) => url.pathname === '/app/reviews' && url.searchParams.get('user_id') === 'u-next');
  });

  test('after an act the next review is the one after it, not the first that was skipped', async () => {
    const user_id = 'u-skipped';
    const paths: string[] = [];
    for (const amount of ['4.25', '5.25', '6.25']) paths.push((await post({ user_id, amount })).path);
    const search = `?user_id=${user_id}&sort=oldest&state=open`;
    await vi.waitFor(async () => expect((await answerTo(first, `/v1/reviews${search}`)).items).toHaveLength(3), limitMs);
    await visit(first, `${paths[1]}${search}`);
    await first.getByRole('region', { name: 'Resolve' }).getByText('High risk').waitFor();
    await first.getByRole('button', { name: 'Block' }).click();
    await first.getByLabel('Reason').fill('one was skipped');
    await first.getByRole('button', { name: 'Block this transfer' }).click();
    await first.getByRole('status').filter({ hasText: 'Resolved: block. Next: Deposit 6.25 ETH.' }).waitFor();
    await vi.waitFor(async () => expect((await answerTo(first, `/v1/reviews${search}`)).items).toHaveLength(2), limitMs);
    await first.getByText('dev wants to block it').waitFor();
    const next = first.getByRole('link', { name: 'Next review' });
    expect(new URL((await next.getAttribute('href')) ?? '', first.url()).pathname).toBe(paths[2]);
    await first.keyboard.press('n');
    await first.getByRole('heading', { name: /6\.25 ETH/ }).waitFor();
  });

  test('a value is filtered when it is typed, in any way of writing, and an overdue review says by how much', async () => {
    const { path } = await post({ user_id: 'u-late', usd_value: '12000' });
    const page = await running.open('light', undefined, first.context());
    await visit(page, path);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await setDue(page, path.replace('/app/screenings/', '/v1/reviews/'), new Date(Date.now() - 3 * 3_600_000));
    await page.clock.install();
    await visit(page, '/app/reviews?user_id=u-late');
    await page.getByText(/^overdue by 3 h/).waitFor();
    await stopClock(page);
    const field = page.getByLabel('USD from');
    await field.pressSequentially('12,001');
    expect(new URL(page.url()).searchParams.has('min_usd')).toBe(false);
    await page.clock.runFor(600);
    await page.waitForURL((url) => url.searchParams.get('min_usd') === '12001');
    // Enter, and leaving the field, do not wait for the pause.
    await field.fill('12,002');
    await field.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('min_usd') === '12002');
    await field.fill('12,003');
    await field.press('Tab');
    await page.waitForURL((url) => url.searchParams.get('min_usd') === '12003');
    await page.clock.resume();
    await page.getByText('No review matches.').waitFor();
    await field.fill('12 thousand');
    await page.getByText('A number, such as 10,000').waitFor();
    await field.fill('10,000');
    await page.waitForURL((url) => url.searchParams.get('min_usd') === '10000');
    await page.getByText(/^overdue by 3 h/).waitFor();
    await page.context().close();
  });

  test('more fields filter a list by customer, coin, chain, rule and days of the reader, and lose nothing that is wrong', async () => {
    const user = 'u fields';
    await post({ user_id: user });
    const page = await running.open('light', undefined, first.context());
    const zone = await page.context().newCDPSession(page);
    await zone.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' });
    const expectQuery = (query: Readonly<Record<string, string | null>>): Promise<void> =>
      page.waitForURL((url) => Object.entries(query).every(([name, value]) => url.searchParams.get(name) === value));
    const row = page.getByRole('row', { name: 'Deposit' });
    await visit(page, '/app/screenings');
    await page.getByText('More filters', { exact: true }).click();
    const fields = page.getByRole('group', { name: 'More filters' });
    const chips = page.getByRole('list', { name: 'Further filters' });
    const field = (label: string): Locator => fields.getByLabel(label, { exact: true });
    const expectText = (label: string, text: string): Promise<void> =>
      expect.poll(() => field(label).inputValue(), { timeout: limitMs }).toBe(text);
    // The blank is not lost, though the filter does without it.
    await field('Customer').pressSequentially('u ');
    await expectQuery({ user_id: 'u' });
    await page.getByText('No screening matches.').waitFor();
    await field('Customer').pressSequentially('fields');
    await field('Customer').press('Enter');
    await expectQuery({ user_id: user });
    await chips.getByText(`Customer: ${user}`).waitFor();
    await row.waitFor();
    await field('Coin').fill('eth');
    await field('Coin').press('Tab');
    await expectQuery({ coin: 'eth' });
    await fields.getByRole('button', { name: /Chain$/ }).click();
    await expectCleanNow(page, 'a choice of many chains');
    await page.getByRole('option', { name: 'ethereum', exact: true }).click();
    await expectQuery({ chain: 'ethereum' });
    await row.waitFor();
    await field('Rule').fill('no such rule');
    await expectQuery({ rule: 'no such rule' });
    await page.getByText('No screening matches.').waitFor();
    await page.getByRole('button', { name: 'Clear the filter Rule' }).click();
    await expectQuery({ rule: null });
    await expectText('Rule', '');
    await field('First day').fill('2026-03-05');
    await expectQuery({ since: '2026-03-04T15:00:00.000Z' });
    await chips.getByText('From: 5 Mar 2026, 00:00:00').waitFor();
    await row.waitFor();
    const file = await exported(page);
    expect([file.lines.length, file.lines[1]?.includes(`,${user},`)]).toEqual([3, true]);
    await field('Last day').fill('2026-03-05');
    await expectQuery({ since: '2026-03-04T15:00:00.000Z', until: '2026-03-05T15:00:00.000Z' });
    await page.getByText('No screening matches.').waitFor();
    await field('Last day').fill('2026-03-03');
    await page.getByRole('alert').getByText('must not be after until').waitFor();
    await expectText('Last day', '2026-03-03');
    await expectText('First day', '2026-03-05');
    await page.getByRole('button', { name: 'Clear the filter Until' }).click();
    await expectQuery({ until: null });
    await row.waitFor();
    // What is left of a date goes with its filter.
    await field('Last day').fill('2026-03-05');
    await expectQuery({ until: '2026-03-05T15:00:00.000Z' });
    await field('Last day').press('Backspace');
    await fields.getByText('A date from 1970 on').waitFor();
    await page.getByRole('button', { name: 'Clear the filter Until' }).click();
    await expectQuery({ until: null });
    await fields.getByText('A date from 1970 on').waitFor({ state: 'detached' });
    expect(await field('Last day').evaluate((input: { validity: { badInput: boolean } }) => input.validity.badInput)).toBe(false);
    await field('Last day').press('0');
    await field('Last day').press('Shift+Tab');
    await fields.getByText('A date from 1970 on').waitFor();
    await expectCleanNow(page, 'more filters with a wrong one');
    await page.setViewportSize(phoneSize);
    await expectCleanNow(page, 'the same on a phone');
    await page.setViewportSize(wideSize);
    await page.reload();
    await page.getByText('More filters', { exact: true }).click();
    await expectText('First day', '2026-03-05');
    await expectText('Customer', user);
    // In UTC it is the day before.
    await page.getByRole('heading', { name: 'Screenings' }).click();
    await page.keyboard.press('u');
    await expectText('First day', '2026-03-04');
    await page.keyboard.press('u');
    await visit(page, '/app/reviews');
    await page.getByText('More filters', { exact: true }).click();
    await field('Customer').fill(user);
    await field('USD to').fill('1');
    await expectQuery({ user_id: user, max_usd: '1' });
    await page.getByText('No review matches.').waitFor();
    await page.context().close();
  });

  test('a rejection has its reason and leaves the review open, and a due time is set', async () => {
    const { path } = await post();
    await visit(first, path);
    // A form that is left gives the focus back to its button.
    for (const name of ['Block', 'Allow', 'Block']) {
      await first.getByRole('button', { name, exact: true }).click();
      await first.getByLabel('Reason').and(first.locator(':focus')).waitFor();
      await first.getByRole('button', { name: 'Cancel' }).click();
      await first.getByRole('button', { name, exact: true }).and(first.locator(':focus')).waitFor();
    }
    await first.getByRole('button', { name: 'Block' }).click();
    await first.getByLabel('Reason').fill('looks wrong');
    await first.getByRole('button', { name: 'Block this transfer' }).click();
    await visit(second, path);
    await second.getByRole('button', { name: 'Reject' }).click();
    await second.getByRole('button', { name: 'Cancel' }).click();
    await second.getByRole('button', { name: 'Reject' }).and(second.locator(':focus')).waitFor();
    await second.getByRole('button', { name: 'Reject' }).click();
    await second.getByLabel('Reason').fill(`the sender is known ${hostile}`);
    await expectCleanNow(second, 'a resolution to reject');
    await second.getByRole('button', { name: 'Reject' }).click();
    const line = second.getByRole('region', { name: 'Time line' });
    await line.getByText('Rejected it').waitFor();
    await line.getByText(`“the sender is known ${hostile}”,`).waitFor();
    await second.getByRole('button', { name: 'Allow' }).waitFor();
    await second.getByRole('button', { name: 'Set when it is due' }).click();
    await expectCleanNow(second, 'times to be due');
    await second.getByRole('menuitem', { name: 'in 4 hours' }).click();
    await second.getByText('Due: no time').waitFor({ state: 'detached' });
    await line.getByText(/^Set it due: /).waitFor();
    await second.getByRole('button', { name: 'Set when it is due' }).click();
    await second.getByRole('menuitem', { name: 'no time' }).click();
    await line.getByText('Removed its due time').waitFor();
    // Else the header, which stays, covers a part of a link.
    await second.evaluate('scrollTo(0, 0)');
    await expectClean(second, 'a rejected resolution');
  });

  test('a note, and who has taken a review, are seen by others', async () => {
    const { path } = await post();
    const watching = await running.open('light', undefined, second.context());
    await watching.clock.install();
    await visit(watching, path);
    await watching.getByText('Live', { exact: true }).waitFor();
    await watching.getByText('Assigned to: nobody').waitFor();
    // No poll comes from now on.
    await stopClock(watching);
    await visit(first, path);
    await first.getByLabel('Note', { exact: true }).fill(`asked the customer ${hostile}`);
    await first.getByRole('button', { name: 'Add a note' }).click();
    await first.getByRole('button', { name: 'Take it' }).click();
    const expectCount = beforePoll(watching);
    const expectSeen = (seen: Locator): Promise<void> => expectCount(() => seen.count(), 1);
    await expectSeen(watching.getByText('Assigned to: dev'));
    await first.locator('input[type=file]').setInputFiles({ name: 'seen.txt', mimeType: 'text/plain', buffer: Buffer.from('seen') });
    await expectSeen(watching.getByRole('link', { name: 'seen.txt' }));
    await watching.context().close();
    await visit(second, path);
    await second.getByRole('region', { name: 'Notes' }).getByText('asked the customer').waitFor();
    await visit(first, '/app/cases?assignee=none');
    const holds = first.getByRole('group', { name: 'Filters' });
    await holds.getByRole('button', { name: /Nobody/ }).click();
    await first.getByRole('option', { name: 'Me' }).click();
    await first.waitForURL((url) => url.searchParams.get('assignee') === 'dev');
    await first.getByText('No case matches.').waitFor();
    const line = second.getByRole('region', { name: 'Time line' });
    await line.getByText('Wrote a note').waitFor();
    await line.getByText('Assigned it to dev').waitFor();
    await line.getByText(/^The result of /).waitFor();
    await second.getByText('Assigned to: dev').waitFor();
  });

  test('a note, and the reason for several reviews, stay when a person leaves them', async () => {
    const user_id = 'u-drafts';
    const { path } = await post({ user_id });
    await visit(first, path);
    const note = first.getByLabel('Note', { exact: true });
    await note.fill('half a note');
    await first.getByRole('link', { name: 'Now', exact: true }).click();
    await first.locator('h1:focus', { hasText: 'Now' }).waitFor();
    await first.goBack();
    expect(await note.inputValue()).toBe('half a note');
    await first.getByRole('button', { name: 'Add a note' }).click();
    await first.getByRole('region', { name: 'Notes' }).getByText('half a note').and(first.locator('p')).waitFor();
    await expect.poll(() => note.inputValue(), { timeout: limitMs }).toBe('');

    await visit(first, `/app/reviews?user_id=${user_id}`);
    await first.getByRole('row').nth(1).locator('label').click();
    const question = first.getByRole('dialog', { name: 'Block 1 transfer' });
    const reason = question.getByLabel('Reason');
    const ask = (): Promise<void> => first.getByRole('button', { name: 'Block … (1)' }).click();
    await ask();
    // Nothing is written yet: a press beside the dialog closes it.
    await first.mouse.click(5, 400);
    await question.waitFor({ state: 'detached' });
    await ask();
    await reason.fill('a long reason');
    await first.mouse.click(5, 400);
    // The press leaves the focus in the dialog.
    await question.locator('textarea:focus').waitFor();
    await first.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await ask();
    expect(await reason.inputValue()).toBe('a long reason');
    await first.mouse.click(5, 400);
    await first.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await question.count()).toBe(1);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await ask();
    expect(await reason.inputValue()).toBe('');
    await reason.fill('a long reason');
    await question.getByRole('button', { name: 'Block this transfer' }).click();
    await first.getByText('Resolved with block: 1.').waitFor();
    expect(await first.evaluate<number>(`Object.keys(sessionStorage).filter((key) => key.startsWith('weir.draft bulk')).length`)).toBe(0);
  });

  test('a review is handed to a known person, and nobody takes it away without a question', async () => {
    const user_id = 'u-handed';
    const { path } = await post({ user_id });
    await visit(first, path);
    const notes = first.getByRole('region', { name: 'Notes' });
    await notes.getByRole('button', { name: 'Assign to …' }).click();
    await expectCleanNow(first, 'people to assign a review to');
    await first.getByRole('menuitem', { name: 'Ben', exact: true }).click();
    await notes.getByText('Assigned to: Ben').waitFor();
    await notes.locator('button:focus').waitFor();
    await notes.getByRole('button', { name: 'Take it' }).click();
    const question = first.getByRole('dialog', { name: 'It is assigned to Ben' });
    await question.getByText('Ben has it. Assign it to dev?').waitFor();
    await expectCleanNow(first, 'a review of another person');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await notes.getByText('Assigned to: Ben').waitFor();
    await notes.locator('button:focus').waitFor();

    await visit(first, `/app/reviews?user_id=${user_id}`);
    const filters = first.getByRole('group', { name: 'Filters' });
    await filters.getByRole('button', { name: /Assigned to$/ }).click();
    await first.getByRole('option', { name: 'Ben', exact: true }).click();
    await first.waitForURL((url) => url.searchParams.get('assignee') === 'Ben');
    await first.locator('.table-row label.mark').click();
    await first.getByRole('button', { name: 'Assign to me' }).click();
    const several = first.getByRole('dialog', { name: '1 review of other people' });
    await several.getByText('Assigned to: Ben').waitFor();
    await several.getByRole('button', { name: 'Assign to me' }).click();
    await first.getByText('Assigned to you: 1.').waitFor();
    expect(await answerTo(first, path.replace('/app/screenings/', '/v1/reviews/'))).toMatchObject({ assignee: 'dev' });
  });

  test('one field finds a transfer, an address and a customer', async () => {
    const search = async (text: string): Promise<void> => {
      await first.getByLabel('Search').fill(text);
      await first.getByLabel('Search').press('Enter');
    };
    const { id, path } = await post({ user_id: 'u-found' });
    await vi.waitFor(async () => {
      await search(id);
      await first.waitForURL((url) => url.pathname === path, { timeout: 10_000 });
    }, limitMs);
    // A new view takes the focus, which a search before would lose. The heading of an event is below that of the audit log.
    const arrived = (): Promise<void> => first.locator('h1:focus, h2:focus').waitFor();
    await arrived();
    await search('u-found');
    await first.getByRole('heading', { name: 'Customer u-found' }).waitFor();
    await first.getByRole('region', { name: 'Counterparties' }).getByRole('link').waitFor();
    await first.getByText('The policy in force has no window.').waitFor();
    await visit(first, path);
    const group = await first.getByRole('link', { name: 'Case of related holds' }).getAttribute('href');
    const entry = await first.getByRole('region', { name: 'Evidence' }).getByRole('link').first().getAttribute('href');
    for (const to of [group, entry]) {
      await search(to?.split('/').at(-1) ?? '');
      await first.waitForURL((url) => url.pathname === to);
      await arrived();
    }
    await search('nobody-knows-this');
    await first.getByText('Nothing is known of').waitFor();
  });

  test('a search that found nothing asks again when it is sent again', async () => {
    const page = await running.open('light', undefined, first.context());
    // Events would have the page ask by itself.
    await page.route('**/v1/events', (route) => route.abort());
    await visit(page, '/app/now');
    const id = `searched ${hostile}`;
    const field = page.getByLabel('Search');
    await field.fill(id);
    await field.press('Enter');
    await page.getByRole('heading', { name: `Nothing is known of “${id}”.` }).waitFor();
    const { path } = await post({ deposit_id: id });
    await visit(first, path);
    await first.getByRole('button', { name: 'Allow' }).waitFor();
    await field.press('Enter');
    await page.waitForURL((url) => url.pathname === path);
    await page.context().close();
  });

  test('a search while a part is away does not say that nothing is known', async () => {
    const page = await running.open('light', undefined, first.context());
    const nobody = '/app/search?q=00000000-0000-4000-8000-000000000000';
    await visit(page, nobody);
    await page.getByText('Nothing is known of').waitFor();
    await page.route('**/v1/audit/entries/*', (route) => route.fulfill({ status: 503 }));
    await visit(page, nobody);
    await page.getByText('this is no proof that nothing is known').waitFor();
    expect(await page.getByText('Nothing is known of').count()).toBe(0);
    await page.context().close();
  });

  test('an address has a page with its transfers and its levels over time, which the search finds', async () => {
    const { id } = await post({ from_address: `0x${'d'.repeat(40)}` });
    const page = `/app/addresses/0x${'d'.repeat(40)}`;
    await vi.waitFor(async () => {
      await first.getByLabel('Search').fill(`0x${'D'.repeat(40)}`);
      await first.getByLabel('Search').press('Enter');
      await first.waitForURL((url) => url.pathname.toLowerCase() === page, { timeout: 10_000 });
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
    await page.getByText('Reviewers and approvers resolve it.').waitFor();
    expect(await page.getByRole('button', { name: /Allow|Take it|Assign to|Add a note/ }).count()).toBe(0);
    await visit(page, '/app/reviews');
    await page.getByRole('link', { name: 'Deposit' }).first().waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await visit(page, `/app/labels?address=0x${'e'.repeat(40)}`);
    await page.getByRole('group', { name: 'Labels found' }).getByText('Mallory').waitFor();
    expect(await page.getByRole('link', { name: /^End it/ }).count()).toBe(0);
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor();
    await page.context().close();
  });

  test('a link is tried once, and signs in nobody who comes later', async () => {
    const page = await running.open('light');
    const tried: string[] = [];
    page.on('request', (request) => {
      if (request.postData()?.includes('"link"') === true) tried.push(request.url());
    });
    await visit(page, '/app/now#sign-in=used-before');
    await page.getByRole('alert').waitFor();
    const token = running.installation.token('auditor');
    await signIn(page, token);
    await signOut(page);
    await signIn(page, token);
    expect(tried).toHaveLength(1);
    await page.context().close();
  });

  test('nothing that anybody wrote becomes markup, and the content security policy refused nothing', async () => {
    running.upstream.answer(() => ({ data: hostileAnswer }));
    onTestFinished(() => running.upstream.answer(() => ({ data: highScore })));
    const { path } = await post();
    // A coin has 32 characters at most. A deposit that cannot be screened is accepted, and held.
    const coin = '<img src=x><b>x</b>';
    const odd = { coin, memo: hostile, txid: hostile, from_address: hostile, to_address: hostile, user_id: 'u-odd' };
    const { path: oddPath } = await post(odd);
    for (const [view, text] of [
      [path, hostile],
      [`/app/customers/${encodeURIComponent(`u ${hostile}`)}`, hostile],
      [oddPath, hostile],
      [oddPath, coin],
      ['/app/now', coin],
      ['/app/reviews?user_id=u-odd', coin],
      ['/app/screenings?user_id=u-odd', coin],
      [`/app/screenings?txid=${encodeURIComponent(hostile)}`, coin],
      [`/app/addresses/${encodeURIComponent(hostile)}`, hostile],
      [`/app/search?q=${encodeURIComponent(hostile)}`, hostile],
    ] as const) {
      await visit(first, view);
      await first.locator('main').getByText(text).first().waitFor();
      expect([view, await first.title(), await first.locator('b, img').count()]).toEqual([view, titled, 0]);
    }
    await visit(first, path);
    const result = first.locator('main');
    for (const text of ['address_label', 'hacking_event', 'detail', 'entity', 'risk type', 'source', 'contribution', 'without'])
      await result.getByText(`${text} ${hostile}`).first().waitFor();
    await result.getByRole('figure', { name: 'Way of the money as a graph' }).waitFor();
    expect([await first.title(), await first.locator('b, img').count()]).toEqual([titled, 0]);
    // A case is named after what its holds share.
    const { path: grouped } = await post({ user_id: `grouped ${hostile}` });
    for (const [hold, ...names] of [
      [grouped, `customer grouped ${hostile}`, `entity entity ${hostile}`],
      [oddPath, `counterparty ${hostile}`],
    ] as const) {
      await visit(first, hold);
      await first.getByRole('link', { name: 'Case of related holds' }).click();
      const heading = first.getByRole('heading', { level: 1, name: /^Case: / });
      for (const name of names) await heading.filter({ hasText: name }).waitFor();
      const opened = new URL(first.url()).pathname;
      await first.getByRole('region', { name: 'Holds' }).getByRole('row').nth(1).waitFor();
      expect([opened, await first.title(), await first.locator('b, img').count()]).toEqual([opened, titled, 0]);
      await visit(first, '/app/cases');
      const row = first
        .getByRole('table', { name: 'Cases' })
        .getByRole('row')
        .filter({ has: first.locator(`a[href="${opened}"]`) });
      for (const name of names) await row.filter({ hasText: name }).waitFor();
      expect([await first.title(), await first.locator('b, img').count()]).toEqual([titled, 0]);
    }
    await expectFile(first, `/v1${path.replace('/app', '')}/report`, 'application/pdf');
    expect(running.complaints).toEqual([]);
  });

  test('on a phone a case has its result and its acts above all else, in the order of the document', async () => {
    const { path } = await post();
    const phone = await running.open('light', phoneSize, first.context());
    await visit(phone, path);
    const names = ['Result', 'Resolve', 'Transfer', 'Exposures', 'Time line', 'Notes', 'Attachments', 'Evidence'];
    for (const name of names) await phone.getByRole('region', { name, exact: true }).waitFor();
    const found = await phone
      .getByRole('region')
      .evaluateAll((all) => all.map((one) => ({ name: one.ariaLabel ?? '', y: one.getBoundingClientRect().y })));
    const parts = found.filter(({ name }) => names.includes(name));
    for (const order of [parts, parts.toSorted((a, b) => a.y - b.y)]) expect(order.map(({ name }) => name)).toEqual(names);
    await phone.context().close();
  });

  test('a customer without a level is said to have none', async () => {
    const { path } = await post({ coin: 'no such coin', user_id: 'u-unscored' });
    await visit(first, path);
    await first.getByText('Held', { exact: true }).first().waitFor();
    await visit(first, '/app/customers/u-unscored');
    await first.getByRole('region', { name: 'By level' }).getByText('No transfer has a level.').waitFor();
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

  test('axe finds nothing where a view cannot be read, cannot be shown, or is not there', async () => {
    const page = await running.open('light', undefined, first.context());
    await visit(page, '/app/nowhere');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await expectCleanNow(page, 'no such page');
    await page.route('**/v1/screenings/*', (route) => route.fulfill({ status: 500 }));
    await visit(page, '/app/screenings/00000000-0000-4000-8000-000000000000');
    await page.getByRole('heading', { name: 'This could not be read' }).waitFor();
    await expectCleanNow(page, 'a case that cannot be read');
    await page.route(/\/(assets\/providers-|healthz)/, (route) => route.abort());
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('link', { name: 'Providers' }).click();
    await page.getByRole('heading', { name: 'This page could not be shown.' }).waitFor();
    await expectCleanPageNow(page, 'a view whose files are away');
    await page.unrouteAll();
    // By itself.
    await page.getByRole('heading', { name: 'Providers', level: 1 }).waitFor();
    await page.context().close();
  });

  test('a posted withdrawal appears without a reload, and its case opens', async () => {
    await visit(first, '/app/screenings?kind=withdrawal');
    await first.getByText('Live', { exact: true }).waitFor();
    await first.getByText('No screening matches.').waitFor();
    const posted = await fetch(`${running.installation.url}/v1/withdrawals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${running.installation.token('gate')}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        withdrawal_id: 'out-1',
        coin: 'ETH',
        amount: '76.54321',
        to_address: `0x${'9'.repeat(40)}`,
        user_id: 'u-out',
      }),
    });
    expect([200, 202]).toContain(posted.status);
    await first.getByText('76.54321 ETH').waitFor();
    await first.getByRole('link', { name: 'Withdrawal' }).click();
    await first.getByRole('heading', { name: /^Withdrawal.*76\.54321 ETH/ }).waitFor();
    await first.getByText('Held', { exact: true }).first().waitFor();
    const { pathname } = new URL(first.url());
    expect(await answerTo(first, pathname.replace('/app/', '/v1/'))).toMatchObject({
      kind: 'withdrawal',
      status: 'held',
      transfer: { withdrawal_id: 'out-1', amount: '76.54321', user_id: 'u-out' },
    });
  });

  test('the whole of a shortened hash is copied', async () => {
    const sender = `0x${'1234567890'.repeat(4)}`;
    const { path } = await post({ from_address: sender });
    const page = await running.open('light', undefined, first.context());
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visit(page, path);
    const hash = page
      .locator('.hash')
      .filter({ has: page.getByTitle(sender) })
      .first();
    expect(await hash.locator('code').textContent()).not.toBe(sender);
    await hash.getByRole('button', { name: /^Copy / }).click();
    await hash.getByText('Copied').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(sender);
    await page.context().close();
  });

  test('the button that copies a hash stands within its cell, in each list', async () => {
    await post();
    const page = await running.open('light', undefined, first.context());
    for (const view of ['/app/now', '/app/reviews', '/app/screenings']) {
      await visit(page, view);
      const buttons = page.locator('.table-row').getByRole('button', { name: /^Copy / });
      await buttons.first().waitFor();
      const outside = await buttons.evaluateAll((all) =>
        all.flatMap((button) => {
          const own = button.getBoundingClientRect();
          const cell = button.closest('[role=cell]')?.getBoundingClientRect();
          return cell !== undefined && own.left >= cell.left && own.right <= cell.right ? [] : [[own.right, cell?.right]];
        }),
      );
      expect({ view, outside }).toEqual({ view, outside: [] });
    }
    await page.context().close();
  });

  test('the keys go up in a list, show themselves, and approve in two steps', async () => {
    const user_id = 'u-keys';
    await post({ user_id, amount: '4.5' });
    const { path } = await post({ user_id, amount: '5.5' });
    await visit(first, `/app/reviews?user_id=${user_id}&sort=oldest`);
    await vi.waitFor(async () => expect(await first.getByRole('link', { name: 'Deposit' }).count()).toBe(2), limitMs);
    for (const key of ['j', 'j', 'k']) await first.keyboard.press(key);
    // A screen reader reads where the focus is.
    const focused = first.locator('.table-row.chosen[aria-rowindex="2"]').locator('a:focus', { hasText: 'Deposit' });
    await focused.waitFor();
    await expectClean(first, 'a row that the keys have chosen');
    await first.keyboard.press('x');
    await first.getByText('1 marked', { exact: true }).waitFor();
    await first.keyboard.press('x');
    await focused.waitFor();
    await first.keyboard.press('Enter');
    await first.getByRole('heading', { name: /4\.5 ETH/ }).waitFor();
    const next = first.getByRole('link', { name: 'Next review' });
    await next.focus();
    await first.keyboard.press('?');
    const keys = first.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('approve the open review').waitFor();
    await expectCleanNow(first, 'the keys');
    await first.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await vi.waitFor(async () => expect(await next.evaluate((link) => link.matches(':focus'))).toBe(true), limitMs);

    await visit(first, path);
    await first.getByRole('button', { name: 'Block' }).click();
    await first.getByLabel('Reason').fill('by keys');
    await first.getByRole('button', { name: 'Block this transfer' }).click();
    await first.getByText('dev wants to block it').waitFor();
    await visit(second, path);
    const approve = second.getByRole('button', { name: 'Approve' });
    await approve.waitFor();
    await second.keyboard.press('a');
    await vi.waitFor(async () => expect(await approve.evaluate((button) => button.matches(':focus'))).toBe(true), limitMs);
    const review = path.replace('/app/screenings/', '/v1/reviews/');
    // One key alone approves nothing.
    expect(await answerTo(second, review)).toMatchObject({ state: 'pending_approval' });
    await second.keyboard.press('Enter');
    await second.getByText('Block: dev, Ben').waitFor();
    expect(await answerTo(second, review)).toMatchObject({ action: 'block', resolution: { answered_by: { name: 'Ben' } } });
  });

  test('a hundred reviews are marked at most; marked ones are blocked together, and assigned together', async () => {
    const user_id = 'u-hundred';
    // One sender is one question to the provider.
    const from_address = `0x${'8'.repeat(40)}`;
    await Promise.all(Array.from({ length: 101 }, () => post({ user_id, from_address })));
    const list = `/v1/reviews?user_id=${user_id}`;
    await expect
      .poll(() => answerTo(first, `${list}&state=open&limit=100`), { timeout: limitMs })
      .toMatchObject({
        items: { length: 100 },
        next_cursor: expect.any(String),
      });
    await visit(first, `/app/reviews?user_id=${user_id}`);
    await first.getByRole('button', { name: 'Show more' }).click();
    await first.getByText('101 listed', { exact: true }).waitFor();
    // Ninety-nine by events of the page, because a key of the browser takes longer.
    await first.evaluate(`(async () => {
      for (let n = 0; n < 99; n += 1)
        for (const key of ['j', 'x']) {
          document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
          await new Promise((resolve) => setTimeout(resolve));
        }
    })()`);
    await first.getByText('99 marked', { exact: true }).waitFor();
    for (const key of ['j', 'x']) await first.keyboard.press(key);
    const most = first.getByText('100 marked, the most at once', { exact: true });
    await most.waitFor();
    for (const key of ['j', 'x']) await first.keyboard.press(key);
    expect(await most.count()).toBe(1);
    for (const key of ['k', 'x']) await first.keyboard.press(key);
    await first.getByText('99 marked', { exact: true }).waitFor();
    for (const key of ['j', 'x']) await first.keyboard.press(key);
    await most.waitFor();

    const mark = (n: number) => first.locator(`.table-row[aria-rowindex="${n}"] label.mark`);
    const all = first.getByRole('columnheader').locator('label.mark');
    // No more can be marked, so that all are unmarked, and then the first hundred marked.
    await all.click();
    await most.waitFor({ state: 'detached' });
    await all.click();
    await most.waitFor();
    await expectClean(first, 'reviews of which a hundred are marked');
    await first.getByRole('button', { name: 'Clear', exact: true }).click();
    await first.getByRole('table').evaluate((table) => table.scrollTo(0, 0));
    await mark(3).click();
    await mark(6).click({ modifiers: ['Shift'] });
    await first.getByText('4 marked', { exact: true }).waitFor();
    await mark(4).click({ modifiers: ['Shift'] });
    await first.getByText('1 marked', { exact: true }).waitFor();
    await first.getByRole('button', { name: 'Clear', exact: true }).click();
    for (let n = 0; n < 3; n += 1) await first.keyboard.press('j');
    for (const key of ['x', 'k', 'x']) await first.keyboard.press(key);
    await first.getByText('2 marked', { exact: true }).waitFor();
    await first.getByRole('button', { name: 'Block … (2)' }).click();
    const question = first.getByRole('dialog', { name: 'Block 2 transfers' });
    await question.getByLabel('Reason').fill('one thief');
    await question.getByRole('button', { name: 'Block this transfer' }).click();
    await first.getByText('Resolved with block: 2.').waitFor();
    const resolution = { action: 'block', reason: 'one thief', resolved_by: { name: 'dev' } };
    const pending = [{ resolution }, { resolution }];
    expect((await answerTo(first, `${list}&state=pending_approval`)).items).toMatchObject(pending);
    await visit(first, `/app/reviews?user_id=${user_id}&state=pending_approval`);
    const boxes = first.getByRole('checkbox', { name: 'Mark: Deposit 1.5 ETH' });
    await vi.waitFor(async () => expect(await boxes.count()).toBe(2), limitMs);
    for (const n of [1, 2]) await first.getByRole('row').nth(n).locator('label').click();
    // Nobody approves what they resolved themselves.
    expect(await first.getByRole('button', { name: 'Approve (0)' }).isDisabled()).toBe(true);
    await first.getByRole('button', { name: 'Assign to me' }).click();
    await first.getByText('Assigned to you: 2.').waitFor();
    await first.getByRole('cell', { name: 'dev', exact: true }).nth(1).waitFor();
    expect((await answerTo(first, `${list}&assignee=dev`)).items).toMatchObject(pending);
  });

  test('the row that the keys have chosen stays in the window, and headings stand over their columns', async () => {
    await visit(first, '/app/reviews?user_id=u-hundred');
    await first.setViewportSize(wideSize);
    await first.getByRole('row').nth(20).waitFor();
    for (let n = 0; n < 15; n += 1) await first.keyboard.press('j');
    const chosen = first.locator('.table-row.chosen[aria-rowindex="16"]');
    await chosen.waitFor();
    const boxOf = async () => (await chosen.boundingBox()) ?? expect.fail('the row is not drawn');
    await expect
      .poll(async () => {
        const { y, height } = await boxOf();
        return y >= 0 && y + height <= wideSize.height;
      })
      .toBe(true);
    for (const size of [wideSize, phoneSize]) {
      await first.setViewportSize(size);
      for (const left of [0, 9_999]) {
        await first.getByRole('table').evaluate((table, x) => table.scrollTo(x, 0), left);
        const edges = (role: 'columnheader' | 'cell') =>
          first
            .getByRole('row')
            .nth(role === 'cell' ? 1 : 0)
            .getByRole(role);
        const leftOf = (role: 'columnheader' | 'cell'): Promise<number[]> =>
          edges(role).evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().left)));
        const heads = await leftOf('columnheader');
        expect(heads.length).toBe(11);
        expect(await leftOf('cell')).toEqual(heads);
      }
    }
    // What a person decides by stands in the window of a phone.
    const phone = { width: 390, height: 844 };
    await first.setViewportSize(phone);
    await first.getByRole('table').evaluate((table) => table.scrollTo(0, 0));
    for (const name of ['Value', 'Level']) {
      const { x, width } =
        (await first.getByRole('columnheader', { name, exact: true }).boundingBox()) ?? expect.fail(`there is no ${name}`);
      expect(x + width).toBeLessThanOrEqual(phone.width);
    }
    await first.setViewportSize(wideSize);
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
    const { path } = await post();
    await visit(second, path);
    await second.getByRole('button', { name: 'Allow' }).waitFor();
    await visit(first, '/app/now');
    for (const page of [first, second]) await page.getByText('Live', { exact: true }).waitFor();
    await running.installation.kill('both');
    for (const page of [first, second]) {
      await page.getByText('Not live: read again every 15 seconds').waitFor();
      await page.getByRole('alert').first().waitFor();
      await expectCleanPageNow(page, `data of before at ${new URL(page.url()).pathname}`);
    }
    await running.installation.start();
    for (const page of [first, second]) {
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByRole('alert').first().waitFor({ state: 'detached' });
    }
  });
}
