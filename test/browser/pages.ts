import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { startWithUpstream, type WithUpstream } from '../e2e/with-upstream.ts';
import { startBrowser } from './browser.ts';

/** For each condition on a page; the machine may be busy. */
export const limitMs = 60_000;
/** Markup that says so if it was read as markup. */
export const hostile = `"><img src=x onerror="document.title='hit'"><b>x</b>`;
const wideSize = { width: 1280, height: 800 };
export const phoneSize = { width: 390, height: 844 };

/** An installation with a scripted risk API, and browsers of two people. */
export type Pages = WithUpstream & People;

/** Browsers of two people. */
export interface People {
  /** The person of the link that the start prints. */
  readonly first: Page;
  /** Ben, an approver, in the dark. */
  readonly second: Page;
  /** Complaints of pages: errors of scripts, and what the content security policy refused. */
  readonly complaints: readonly string[];
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

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
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

/** Expects a loaded page without markup of others, without a violation, and not wider than its window. */
export async function expectClean(page: Page, view: string): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('main').getByText('Loading …').first().waitFor({ state: 'detached' });
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
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
    markup: await page.locator('main b, main img').count(),
    wider,
  }).toEqual({ view, violations: [], title: 'Weir', markup: 0, wider: 0 });
}

/** In light and dark, wide and on a phone. */
export async function expectCleanEverywhere(people: People, view: string): Promise<void> {
  const { first, second, complaints } = people;
  for (const [wide, scheme] of [
    [first, 'light'],
    [second, 'dark'],
  ] as const) {
    const phone = await people.open(scheme, phoneSize, wide.context());
    for (const page of [wide, phone]) {
      await people.visit(page, view);
      await expectClean(page, view);
    }
    await phone.context().close();
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
