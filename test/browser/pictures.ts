import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { startCommand } from '../support/stack/installation.ts';
import { startBrowser } from './browser.ts';

/** Takes the pictures of the documents from an installation with the sample: `npm run pictures`. */
const folder = join(import.meta.dirname, '..', '..', 'docs', 'images');
const looks = [
  ['', 'light', { width: 1280, height: 800 }],
  ['-dark', 'dark', { width: 1280, height: 800 }],
  ['-phone', 'light', { width: 390, height: 844 }],
] as const;

const dataDir = mkdtempSync(join(tmpdir(), 'weir-pictures-'));
const { program, args } = startCommand(['--port', '4390', '--data-dir', dataDir]);
const weir = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
const browser = await startBrowser();
try {
  let link = '';
  for await (const line of createInterface(weir.stdout)) {
    link ||= /Console: (\S+)/.exec(line)?.[1] ?? '';
    if (line.includes('Where to look next')) break;
  }
  const url = new URL(link).origin;
  const first = await browser.newContext();
  const page = await first.newPage();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Now' }).waitFor();
  const storageState = await first.storageState();
  mkdirSync(folder, { recursive: true });
  for (const [name, colorScheme, viewport] of looks) {
    const context = await browser.newContext({ storageState, colorScheme, viewport });
    await take(await context.newPage(), url, name);
  }
} finally {
  await browser.close();
  weir.kill('SIGINT');
  await new Promise((resolve) => weir.once('exit', resolve));
  rmSync(dataDir, { recursive: true, force: true });
}

/** Each view, once what it shows is there. */
async function take(page: Page, url: string, name: string): Promise<void> {
  const picture = async (view: string): Promise<void> => {
    await page.getByText('Live', { exact: true }).waitFor();
    await page.locator('main').getByText('Loading …').first().waitFor({ state: 'detached' });
    await page.screenshot({ path: join(folder, `console-${view}${name}.png`) });
  };
  const deposits = page.getByRole('link', { name: 'Deposit' });
  await page.goto(`${url}/app/now`);
  await deposits.first().waitFor();
  await picture('now');
  await page.goto(`${url}/app/reviews`);
  await deposits.first().waitFor();
  await picture('reviews');
  await deposits.first().click();
  await page.getByRole('button', { name: 'Block' }).waitFor();
  await picture('case');
  const graph = page.getByRole('figure', { name: 'Way of the money as a graph' });
  await graph.getByRole('button', { name: /^Screened address/ }).waitFor();
  await graph.locator('.entity').first().click();
  await graph.getByRole('button', { name: 'Smaller' }).click();
  await graph.screenshot({ path: join(folder, `console-graph${name}.png`) });
  await page.locator('a[href^="/app/addresses/"]').first().click();
  await page.locator('.recharts-bar-rectangle path').first().waitFor();
  await picture('address');
  await page.goto(`${url}/app/statistics`);
  await page.locator('.recharts-bar-rectangle path').first().waitFor();
  await picture('statistics');
  await page.goto(`${url}/app/policy`);
  await page.getByText('It can be used.').waitFor();
  await picture('policy');
  await page.goto(`${url}/app/screenings`);
  await deposits.first().click();
  await page
    .getByRole('link', { name: /^entry/ })
    .first()
    .click();
  await page.getByText(/The event is entry/).waitFor();
  await picture('audit');
  await page.goto(`${url}/app/webhooks`);
  await page.getByText('There is no delivery').waitFor();
  await picture('webhooks');
}
