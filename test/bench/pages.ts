import { connectToRunning, openPool } from '@weir/postgres';
import type { BrowserContext, Page } from 'playwright-core';
import { startBrowser } from '../browser/browser.ts';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';
import { fillScreenings } from './history/fill.ts';
import { type Line, median } from './line.ts';

const runs = 7;
const viewport = { width: 1280, height: 800 };
const limitMs = 30_000;
const typed = 'a transaction, an address or a customer';
const rowsBeforeScroll = 1_000;
const scrolls = 60;

/** The web console with `size` screenings, in Chromium: the first view, typing, filters and scrolling of the list, as its reader waits for them. */
export async function benchPages(size: number, print: (line: Line) => void): Promise<Line[]> {
  const installation = await makeInstallation();
  const browser = await startBrowser();
  try {
    await installation.start();
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
    ]) {
      const line = await measure();
      lines.push(line);
      print(line);
    }
    return lines;
  } finally {
    await browser.close();
    await installation.remove();
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
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
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
    note: `at most 1500; slowest ${Math.max(...times).toFixed(0)}`,
  };
}

/** From a key to the page's own code, by the Event Timing API. Shorter delays than 16 ms count as 0. */
async function typing(page: Page, url: string): Promise<Line> {
  await page.goto(`${url}/app/screenings`);
  await page.getByRole('row').nth(5).waitFor();
  await page.evaluate(`
    globalThis.delays = [];
    new PerformanceObserver((list) => globalThis.delays.push(...list.getEntries().map((entry) => entry.processingStart - entry.startTime)))
      .observe({ type: 'event', durationThreshold: 16 });`);
  await page.getByRole('searchbox').pressSequentially(typed, { delay: 30 });
  const delays = await page.evaluate<number[]>('new Promise((resolve) => setTimeout(() => resolve(globalThis.delays), 500))');
  return { name: 'pages: delay of a key, longest', value: Math.max(0, ...delays), unit: 'ms', note: `at most 100; ${typed.length} keys` };
}

interface Filter {
  readonly label: string;
  readonly option: string;
}

const filters: readonly Filter[] = [
  { label: 'Level', option: 'Severe' },
  { label: 'Decision', option: 'Review' },
];

/** From the choice to the rows of its answer on the page. */
async function filtering(page: Page, url: string, { label, option }: Filter): Promise<Line> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    await page.goto(`${url}/app/screenings`);
    await page.getByRole('row').nth(5).waitFor();
    await page.getByRole('button', { name: label }).click();
    const choice = page.getByRole('option', { name: option, exact: true });
    await choice.waitFor();
    // The newest screening of all is of another kind.
    await page.evaluate(`
      globalThis.shown = new Promise((resolve) => addEventListener('pointerup', async ({ timeStamp }) => {
        const first = () => document.querySelector('[role=table] a[href^="/app/screenings/"]')?.getAttribute('href');
        const before = first();
        const end = timeStamp + ${limitMs};
        while (performance.now() < end && (first() ?? before) === before) await new Promise(requestAnimationFrame);
        resolve(performance.now() - timeStamp);
      }, { once: true, capture: true }));
      undefined;`);
    await choice.click();
    times.push(await page.evaluate<number>('globalThis.shown'));
  }
  return {
    name: `pages: filter by ${option.toLowerCase()}`,
    value: median(times),
    unit: 'ms',
    note: `at most 300; slowest ${Math.max(...times).toFixed(0)}`,
  };
}

async function scrolling(page: Page, url: string): Promise<Line> {
  await page.goto(`${url}/app/screenings`);
  await page.getByRole('row').nth(5).waitFor();
  const body = page.locator('.table-body');
  await body.hover();
  const count = (): Promise<number> => page.evaluate(`Number(document.querySelector('[role=table]').getAttribute('aria-rowcount'))`);
  const end = performance.now() + limitMs;
  while ((await count()) <= rowsBeforeScroll && performance.now() < end) await page.mouse.wheel(0, 20_000);
  await page.evaluate(`
    document.querySelector('.table-body').scrollTop = 0;
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
    note: `at least 50; ${await count()} rows, longest gap ${Math.max(...gaps).toFixed(0)} ms`,
  };
}
