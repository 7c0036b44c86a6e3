import { connectToRunning, openPool } from '@weir/postgres';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { startBrowser } from '../browser/browser.ts';
import { postDeposit } from '../browser/pages.ts';
import { addressOf, hop } from '../browser/way-graph-flows.ts';
import { startWithUpstream } from '../e2e/with-upstream.ts';
import type { Installation } from '../support/stack/installation.ts';
import { fillScreenings } from './history/fill.ts';
import { type Line, median } from './line.ts';

const runs = 7;
const viewport = { width: 1280, height: 800 };
const limitMs = 30_000;
const typed = 'a transaction, an address or a customer';
const rowsBeforeScroll = 1_000;
const scrolls = 60;

const deposit = { coin: 'ETH', amount: '1.5', usd_value: '4500', from_address: addressOf(1), to_address: addressOf(2) };
/** Of two transfers each: 500 places and the subject. The last is of little value. */
const manyWays = Array.from({ length: 250 }, (_, n) => {
  const [far, between] = [addressOf(1_000 + n), addressOf(2_000 + n)];
  return {
    entity: `Mixer ${n}`,
    risk_type: 'mixer',
    exposure_type: 'indirect',
    hop_num: 2,
    volume: n === 249 ? 10 : 3_750,
    percent: 0.4,
    side: 'in',
    counterparty: between,
    path: [hop(far, between, 1), hop(between, deposit.from_address, 2)],
  };
});

/** The web console with `size` screenings, in Chromium: the first view, typing, filters and scrolling of the list, as its reader waits for them. */
export async function benchPages(size: number, print: (line: Line) => void): Promise<Line[]> {
  const [running, browser] = await Promise.all([startWithUpstream(), startBrowser({ isWhole: true })]);
  const { installation, upstream } = running;
  try {
    upstream.answer(() => ({ data: { score: 80, risk_level: 'High', risk_detail: manyWays } }));
    const screening = await postDeposit({ installation }, { ...deposit, deposit_id: 'many-ways' });
    await fill(installation, size);
    const signedIn = await browser.newContext({ viewport });
    await signIn(await signedIn.newPage(), installation);
    const storageState = await signedIn.storageState();
    const open = (): Promise<BrowserContext> => browser.newContext({ viewport, storageState });
    const page = await (await open()).newPage();
    page.setDefaultTimeout(limitMs);
    const lines: Line[] = [];
    for (const measure of [
      () => firstView(open, installation.url),
      () => typing(page, installation.url),
      ...filters.map((filter) => () => filtering(page, installation.url, filter)),
      () => scrolling(page, installation.url),
      () => drawing(page, `${installation.url}/app/screenings/${screening}`),
    ]) {
      const line = await measure();
      lines.push(line);
      print(line);
    }
    return lines;
  } finally {
    await browser.close();
    await running.close();
  }
}

async function fill(installation: Installation, size: number): Promise<void> {
  const pool = openPool({ url: connectToRunning(installation.dataDir) ?? '', max: 3, statementTimeoutMs: 600_000 });
  await fillScreenings(pool, size, () => undefined);
  await pool.query('ANALYZE');
  await pool.end();
}

async function signIn(page: Page, installation: Installation): Promise<void> {
  await page.goto(installation.url);
  await page.getByLabel('Token').fill(installation.token('auditor'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Your account' }).waitFor();
}

/** Until the newest screenings are listed and can be chosen, with nothing in the browser's cache. */
async function firstView(open: () => Promise<BrowserContext>, url: string): Promise<Line> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const context = await open();
    const page = await context.newPage();
    await page.goto(`${url}/app/now`, { waitUntil: 'commit' });
    await page.locator('main a[href^="/app/screenings/"]').first().waitFor();
    times.push(await page.evaluate('performance.now()'));
    await context.close();
  }
  return {
    name: 'pages: first view, newest screenings listed',
    value: median(times),
    unit: 'ms',
    bound: { most: 1_500 },
    note: `slowest ${Math.max(...times).toFixed(0)}`,
  };
}

/** From a key to the page's own code, by the Event Timing API. Shorter delays than 16 ms count as 0. */
async function typing(page: Page, url: string): Promise<Line> {
  await page.goto(`${url}/app/screenings`);
  await page.getByRole('row').nth(5).waitFor();
  await page.evaluate(`
    if (!PerformanceObserver.supportedEntryTypes.includes('event')) throw new Error('this browser does not tell the delay of a key');
    globalThis.delays = [];
    new PerformanceObserver((list) => globalThis.delays.push(...list.getEntries().map((entry) => entry.processingStart - entry.startTime)))
      .observe({ type: 'event', durationThreshold: 16 });`);
  await page.getByRole('searchbox').pressSequentially(typed, { delay: 30 });
  const delays = await page.evaluate<number[]>('new Promise((resolve) => setTimeout(() => resolve(globalThis.delays), 500))');
  return {
    name: 'pages: delay of a key, longest',
    value: Math.max(0, ...delays),
    unit: 'ms',
    bound: { most: 100 },
    note: `${typed.length} keys`,
  };
}

interface Filter {
  readonly label: string;
  readonly option: string;
  /** It has to be opened first. */
  readonly isFurther?: boolean;
}

const filters: readonly Filter[] = [
  { label: 'Level', option: 'Severe' },
  { label: 'Decision', option: 'Block' },
  { label: 'Order', option: 'Largest value first' },
  { label: 'Chain', option: 'solana', isFurther: true },
];

/** From the choice to the rows of its answer on the page. */
async function filtering(page: Page, url: string, { label, option, isFurther = false }: Filter): Promise<Line> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    await page.goto(`${url}/app/screenings`);
    await page.getByRole('row').nth(5).waitFor();
    if (isFurther) await page.getByText('More filters').click();
    await page.getByRole('button', { name: label }).click();
    const choice = page.getByRole('option', { name: option, exact: true });
    await choice.waitFor();
    // The newest screening of all is of another kind.
    times.push(await timeOf(page, choice, `document.querySelector('[role=table] a[href^="/app/screenings/"]')?.getAttribute('href')`));
  }
  return {
    name: `pages: ${label.toLowerCase()} ${option.toLowerCase()}`,
    value: median(times),
    unit: 'ms',
    bound: { most: 300 },
    note: `slowest ${Math.max(...times).toFixed(0)}`,
  };
}

/** Milliseconds from a choice until the page shows another value of `shown`, an expression. */
async function timeOf(page: Page, choice: Locator, shown: string): Promise<number> {
  await page.evaluate(`
    globalThis.changed = new Promise((resolve) => addEventListener('pointerup', async ({ timeStamp }) => {
      const shown = () => ${shown};
      const before = shown();
      const end = timeStamp + ${limitMs};
      while (performance.now() < end && (shown() ?? before) === before) await new Promise(requestAnimationFrame);
      resolve(performance.now() - timeStamp);
    }, { once: true, capture: true }));
    undefined;`);
  await choice.click();
  return page.evaluate<number>('globalThis.changed');
}

async function scrolling(page: Page, url: string): Promise<Line> {
  await page.goto(`${url}/app/screenings`);
  await page.getByRole('row').nth(5).waitFor();
  const body = page.locator('.table');
  await body.hover();
  const count = (): Promise<number> => page.evaluate(`Number(document.querySelector('[role=table]').getAttribute('aria-rowcount'))`);
  const end = performance.now() + limitMs;
  while ((await count()) <= rowsBeforeScroll && performance.now() < end) await page.mouse.wheel(0, 20_000);
  await page.evaluate(`
    document.querySelector('.table').scrollTop = 0;
    globalThis.frames = [];
    const frame = (at) => { globalThis.frames.push(at); requestAnimationFrame(frame); };
    requestAnimationFrame(frame);`);
  for (let scroll = 0; scroll < scrolls; scroll += 1) await page.mouse.wheel(0, 300);
  const frames = await page.evaluate<number[]>('globalThis.frames');
  const gaps = frames.slice(1).map((at, n) => at - (frames[n] ?? at));
  const seconds = ((frames.at(-1) ?? 0) - (frames[0] ?? 0)) / 1_000;
  return {
    name: 'pages: scrolling',
    value: gaps.length / seconds,
    unit: 'frames/s',
    bound: { least: 50 },
    note: `${await count()} rows, longest gap ${Math.max(...gaps).toFixed(0)} ms`,
  };
}

/** A graph of 500 places laid out and drawn anew, from the choice of its filter. */
async function drawing(page: Page, url: string): Promise<Line> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    await page.goto(url);
    const graph = page.getByRole('figure', { name: 'Way of the money as a graph' });
    await graph.getByText('501 places').waitFor();
    await graph
      .getByRole('button', { name: /Exposures|All/ })
      .first()
      .click();
    const choice = page.getByRole('option', { name: 'From $100', exact: true });
    await choice.waitFor();
    times.push(await timeOf(page, choice, `document.querySelector('.way-graph [role=status]')?.textContent`));
  }
  return {
    name: 'pages: graph of 500 places laid out and drawn',
    value: median(times),
    unit: 'ms',
    bound: { most: 1_000 },
    note: `slowest ${Math.max(...times).toFixed(0)}`,
  };
}
