import { readFileSync } from 'node:fs';
import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { startWithUpstream, type WithUpstream } from '../e2e/with-upstream.ts';
import { startBrowser } from './browser.ts';

/** For each condition on a page; the machine may be busy. */
export const limitMs = 120_000;
/** Markup that says so if it was read as markup. */
export const hostile = `"><img src=x onerror="document.title='hit'"><b>x</b>`;
export const wideSize = { width: 1280, height: 800 };
/** 320 px wide: a window of 1,280 px, enlarged four times (WCAG 1.4.10). */
export const phoneSize = { width: 320, height: 640 };
/** A page is named after its view; hostile markup would name it otherwise. */
export const titled = expect.stringMatching(/.( ·| to) Weir$/) as string;

/** An installation with a scripted risk API, and browsers of two people. */
export type Pages = WithUpstream & People;

/** Browsers of two people. */
export interface People {
  /** The person of the link that the start prints. */
  readonly first: Page;
  /** Ben, an approver, in the dark. */
  readonly second: Page;
  /** Complaints of pages: errors of scripts, and what the content security policy refused. */
  readonly complaints: string[];
  /** `from`: with the session of these pages. */
  open(colorScheme: 'light' | 'dark', size?: { width: number; height: number }, from?: BrowserContext): Promise<Page>;
  visit(page: Page, path: string): Promise<void>;
  signIn(page: Page, token: string): Promise<void>;
}

export function openPages(env?: Readonly<Record<string, string>>): Promise<Pages> {
  return openPagesOf(startWithUpstream(env));
}

export async function openPagesOf<T extends Pick<WithUpstream, 'installation' | 'close'>>(starting: Promise<T>): Promise<T & People> {
  const [running, browser] = await Promise.all([starting, startBrowser()]);
  const { installation } = running;
  const close = async (): Promise<void> => {
    await browser.close();
    await running.close();
  };
  try {
    const complaints: string[] = [];
    const open: Pages['open'] = (scheme, size, from) => openPage(browser, complaints, { scheme, size, from });
    const link = await vi.waitFor(() => {
      const found = /Console: (\S+)/.exec(installation.output())?.[1];
      expect(found).toBeDefined();
      return found ?? '';
    }, limitMs);
    const first = await open('light');
    await first.goto(link);
    await first.getByRole('heading', { name: 'Now' }).waitFor();
    const second = await open('dark');
    await second.goto(installation.url);
    await signIn(second, await installation.addPerson('approver', 'Ben'));
    const visit = async (page: Page, path: string): Promise<void> => void (await page.goto(`${installation.url}${path}`));
    return { ...running, first, second, complaints, open, visit, signIn, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Your account' }).waitFor();
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
}

interface Look {
  readonly scheme: 'light' | 'dark';
  readonly size?: { width: number; height: number } | undefined;
  readonly from?: BrowserContext | undefined;
}

async function openPage(browser: Browser, complaints: string[], { scheme, size = wideSize, from }: Look): Promise<Page> {
  const state = from === undefined ? {} : { storageState: await from.storageState() };
  const page = await (await browser.newContext({ colorScheme: scheme, viewport: size, ...state })).newPage();
  page.setDefaultTimeout(limitMs);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  return page;
}

/** The pages are the same bytes on every tier, so that axe, which takes most of the time, sweeps them on one. */
export const isSwept = (): boolean => !(expect.getState().testPath ?? '').endsWith('.kafka.test.ts');

/** Expects a loaded view without markup of others and, where axe sweeps, without a violation and not wider than its window. */
export async function expectClean(page: Page, view: string): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor();
  await expectCleanPage(page, view);
}

/** The same of any page. */
export async function expectCleanPage(page: Page, view: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('main').getByText('Loading …').first().waitFor({ state: 'detached' });
  if (!isSwept()) {
    expect([view, await page.title(), await page.locator('b, img').count()]).toEqual([view, titled, 0]);
    return;
  }
  // Of what the header, which stays, covers in part, axe sees a small target. A page that scrolls closes a menu.
  if ((await page.locator('.popover, [role=dialog]').count()) === 0) await page.locator('h1').first().scrollIntoViewIfNeeded();
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe.source);
  const found = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({ rules: { 'target-size': { enabled: true } }, resultTypes: ['violations'] }),
  );
  const wider = await page.evaluate(() => {
    const { documentElement: all } = (
      globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }
    ).document;
    return all.scrollWidth - all.clientWidth;
  });
  expect({
    view,
    violations: found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]),
    title: await page.title(),
    markup: await page.locator('b, img').count(),
    wider,
  }).toEqual({ view, violations: [], title: titled, markup: 0, wider: 0 });
}

/** The same in both schemes, for what is open at the moment, such as a dialog. */
export function expectCleanNow(page: Page, view: string): Promise<void> {
  return inBothSchemes(page, (scheme) => expectClean(page, `${view}, ${scheme}`));
}

/** The same of any page. */
export function expectCleanPageNow(page: Page, view: string): Promise<void> {
  return inBothSchemes(page, (scheme) => expectCleanPage(page, `${view}, ${scheme}`));
}

async function inBothSchemes(page: Page, expectIn: (scheme: string) => Promise<void>): Promise<void> {
  const isDark = await page.evaluate<boolean>(`matchMedia('(prefers-color-scheme: dark)').matches`);
  const [other, own] = isDark ? (['light', 'dark'] as const) : (['dark', 'light'] as const);
  for (const colorScheme of [other, own]) {
    await page.emulateMedia({ colorScheme });
    await expectIn(colorScheme);
  }
}

/** The answer of the API to the person of the page. */
export function answerTo(page: Page, path: string): Promise<any> {
  return page.evaluate(async (at) => (await fetch(at)).json(), path);
}

/** Sets when the review or case at this path of the API is due, as the person of the page. */
export async function setDue(page: Page, path: string, at: Date): Promise<void> {
  const status = await page.evaluate(
    ([to, due_at]) =>
      fetch(`${to}/due`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ due_at }),
      }).then((answer) => answer.status),
    [path, at.toISOString()] as const,
  );
  expect(status).toBe(200);
}

/** Follows the link of an export, or presses the button of a table that the page writes itself: the name of the file, and its lines. */
export async function exported(page: Page, within: Page | Locator = page, table?: string): Promise<{ name: string; lines: string[] }> {
  const downloading = page.waitForEvent('download');
  const control =
    table === undefined
      ? within.getByRole('link', { name: 'Export as CSV' })
      : within.getByRole('button', { name: `Export as CSV: ${table}`, exact: true });
  await control.click();
  const download = await downloading;
  return { name: download.suggestedFilename(), lines: readFileSync(await download.path(), 'utf8').split('\r\n') };
}

/** Expects the address of a link to answer with a file of this type. A busy server asks to be asked again, and is. */
export async function expectFile(page: Page, path: string | null, type: string): Promise<void> {
  const fetched = (): Promise<string | null> =>
    page.evaluate(async (one) => {
      const answer = await fetch(one);
      return answer.status === 503 ? answer.text() : answer.headers.get('content-type');
    }, path ?? '');
  await expect.poll(fetched, { timeout: limitMs }).toBe(type);
}

/** In light and dark, wide and as narrow as a phone; once where axe does not sweep. `isShown`: waits for the last part of the view. */
export async function expectCleanEverywhere(people: People, view: string, isShown?: (page: Page) => Promise<void>): Promise<void> {
  const { first, second, complaints } = people;
  for (const page of isSwept() ? [first, second] : [first]) {
    await people.visit(page, view);
    await isShown?.(page);
    await expectClean(page, view);
    if (!isSwept()) continue;
    // A window that becomes narrow: the view is not loaded again, which would take most of the time.
    await page.setViewportSize(phoneSize);
    try {
      // Charts are laid out again in the frame after.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await isShown?.(page);
      await expectClean(page, `${view} on a phone`);
    } finally {
      await page.setViewportSize(wideSize);
    }
  }
  expect(complaints).toEqual([]);
}

/** Posts a deposit to the installation. Resolves with its screening's id. */
export async function postDeposit({ installation }: Pick<Pages, 'installation'>, deposit: object): Promise<string> {
  const answer = await fetch(`${installation.url}/v1/deposits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${installation.token('ingest')}`, 'content-type': 'application/json' },
    body: JSON.stringify(deposit),
  });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { screening_id: string }).screening_id;
}

/** Chooses an option in a field of the request for a label. */
export async function chooseOfLabel(page: Page, label: string, option: string): Promise<void> {
  await page
    .getByRole('region', { name: 'Ask for a change' })
    .getByRole('button', { name: new RegExp(`${label}$`) })
    .click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Stops the clock of a page at a moment that a busy machine has not passed before the page is told of it. */
export const stopClock = (page: Page): Promise<void> => page.clock.pauseAt(Date.now() + 60_000);

/**
 * Expects a count on a page whose clock stands still. Less than the 15 seconds of a poll pass for it, in all its expectations together, and
 * more slowly than for the services: it is the stream that tells.
 */
export function beforePoll(page: Page): (countNow: () => number | Promise<number>, count: number) => Promise<void> {
  let ms = 0;
  return (countNow, count) =>
    expect
      .poll(
        async () => {
          if (ms < 12_000) await page.clock.runFor(50);
          ms += 50;
          return countNow();
        },
        { interval: 100, timeout: limitMs },
      )
      .toBe(count);
}
