import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sampleDeposits } from '@weir/sample';
import { startUpstream } from '@weir/risk-client/testing';
import type { BrowserContext, Page } from 'playwright-core';
import { startReceiver, status } from '../../services/console/src/webhooks/receiver.testing.ts';
import { startCommand } from '../support/stack/installation.ts';
import { startBrowser } from './browser.ts';
import { openEmbeddedLog } from './embedded-log.ts';

/** Takes the pictures of the documents from an installation with the sample: `npm run pictures`. */
const folder = join(import.meta.dirname, '..', '..', 'docs', 'images');
const looks = [
  ['', 'light', { width: 1280, height: 800 }],
  ['-dark', 'dark', { width: 1280, height: 800 }],
  ['-phone', 'light', { width: 390, height: 844 }],
] as const;

const mixer = { entity: 'A mixer', risk_type: 'mixer', exposure_type: 'direct', hop_num: 1, volume: 500, percent: 40, side: 'in' };

const dataDir = mkdtempSync(join(tmpdir(), 'weir-pictures-'));
const { program, args } = startCommand(['--port', '4390', '--data-dir', dataDir]);
const receiver = await startReceiver();
// The deliveries of the picture: one in three is refused.
let delivered = 0;
receiver.behave((...given) => status((delivered += 1) % 3 === 0 ? 422 : 204)(...given));
// A provider in shadow, which contradicts the deciding one now and then.
const shadow = await startUpstream();
shadow.answer((subject) => (/[0-4]$/.test(subject) ? { data: { score: 78, risk_level: 'High', risk_detail: [mixer] } } : {}));
const weir = spawn(program, args, {
  env: {
    ...process.env,
    WEIR_WEBHOOK_URL: receiver.url,
    WEIR_WEBHOOK_SECRETS: receiver.secret,
    WEIR_SECOND_ROLE: 'shadow',
    WEIR_SECOND_PROVIDER: 'specified',
    WEIR_SECOND_URL: shadow.url,
    WEIR_SECOND_API_KEY: shadow.apiKey,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
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
  await breakRecord();
  const storageState = await first.storageState();
  const admin = await signInAsAdmin(url);
  mkdirSync(folder, { recursive: true });
  for (const [name, colorScheme, viewport] of looks) {
    const visitor = await (await browser.newContext({ colorScheme, viewport })).newPage();
    await visitor.goto(url);
    await visitor.getByLabel('Token').waitFor();
    await visitor.screenshot({ path: join(folder, `console-sign-in${name}.png`) });
    const context = await browser.newContext({ storageState, colorScheme, viewport });
    await take(await context.newPage(), url, name);
    const asAdmin = await browser.newContext({ storageState: await admin.storageState(), colorScheme, viewport });
    await takeForAdmin(await asAdmin.newPage(), url, name);
  }
} finally {
  await browser.close();
  weir.kill('SIGINT');
  await new Promise((resolve) => weir.once('exit', resolve));
  await receiver.close();
  await shadow.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function signInAsAdmin(url: string): Promise<BrowserContext> {
  const { tokens } = JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8')) as { tokens: { admin: string } };
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.getByLabel('Token').fill(tokens.admin);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Your account' }).waitFor();
  return context;
}

/** A record that nobody can read, as a dead letter. */
async function breakRecord(): Promise<void> {
  const log = await openEmbeddedLog(dataDir);
  const headers = {
    ce_id: 'deposit-17',
    weir_reason: 'UNDECODABLE',
    weir_detail: 'the record has no schema number',
    weir_partition: '0',
    weir_offset: '17',
  };
  await log.publish([{ topic: 'deposits.detected.dlq', key: 'deposit-17', value: Buffer.from('{"deposit_id":"deposit-17"}'), headers }]);
  await log.close();
}

async function picture(page: Page, view: string): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor();
  await page.locator('main').getByText('Loading …').first().waitFor({ state: 'detached' });
  await page.screenshot({ path: join(folder, `console-${view}.png`) });
}

async function takeForAdmin(page: Page, url: string, name: string): Promise<void> {
  await page.goto(`${url}/app/administration`);
  await page.getByRole('row', { name: /yours/ }).first().waitFor();
  await picture(page, `administration${name}`);
  await page.goto(`${url}/app/dead-letters`);
  await page.getByRole('table', { name: 'Dead letters' }).getByRole('link').first().click();
  await page.getByRole('group', { name: 'Headers' }).waitFor();
  await picture(page, `dead-letters${name}`);
}

/** Each view, once what it shows is there. */
async function take(page: Page, url: string, name: string): Promise<void> {
  const deposits = page.getByRole('link', { name: 'Deposit' });
  const shot = (view: string): Promise<void> => picture(page, `${view}${name}`);
  await page.goto(`${url}/app/now`);
  await deposits.first().waitFor();
  await shot('now');
  await page.goto(`${url}/app/reviews`);
  await deposits.first().waitFor();
  await shot('reviews');
  await deposits.first().click();
  await page.getByRole('button', { name: 'Block' }).waitFor();
  await shot('case');
  const graph = page.getByRole('figure', { name: 'Way of the money as a graph' });
  await graph.getByRole('button', { name: /^Screened address/ }).waitFor();
  await graph.locator('.entity').first().click();
  await graph.getByRole('button', { name: 'Smaller' }).click();
  await graph.screenshot({ path: join(folder, `console-graph${name}.png`) });
  await page.locator('a[href^="/app/addresses/"]').first().click();
  await page.locator('.recharts-bar-rectangle path').first().waitFor();
  await shot('address');
  await page.getByRole('button', { name: 'Ask the risk service' }).click();
  await page.getByRole('region', { name: 'Profile' }).getByRole('list').first().waitFor();
  await page.getByRole('figure', { name: 'Way of the money as a graph' }).getByRole('button').first().waitFor();
  await page.locator('h1').scrollIntoViewIfNeeded();
  await shot('analysis');
  await page.goto(`${url}/app/statistics`);
  await page.locator('.recharts-bar-rectangle path').first().waitFor();
  await shot('statistics');
  await page.goto(`${url}/app/policy`);
  await page.getByText('It can be used.').waitFor();
  await shot('policy');
  const editor = page.getByRole('region', { name: 'Editor' });
  await editor.getByRole('textbox').press('Control+End');
  await page.keyboard.type('rules:\n- { name: large, when: transfer.usd_value > 10000, action: review }');
  await page.keyboard.press('Escape');
  await editor.getByRole('rowheader').first().waitFor();
  await editor.getByRole('button', { name: 'Run', exact: true }).click();
  await editor.getByText(/^\d+ results$/).waitFor();
  await editor.evaluate((region) => region.scrollIntoView());
  await shot('policy-editor');
  await page.goto(`${url}/app/screenings`);
  await deposits.first().click();
  await page
    .getByRole('link', { name: /^entry/ })
    .first()
    .click();
  await page.getByText(/The event is entry/).waitFor();
  await shot('audit');
  await page.goto(`${url}/app/cases`);
  await page.getByRole('table').getByRole('link').first().waitFor();
  await shot('cases');
  await page.getByRole('table').getByRole('link').first().click();
  await page.getByRole('region', { name: 'Work on the case' }).waitFor();
  await shot('holds');
  await page.goto(`${url}/app/labels`);
  await page.getByRole('group', { name: 'Sources' }).getByRole('link').first().click();
  await page.getByRole('group', { name: 'Labels found' }).getByRole('row').nth(1).waitFor();
  await shot('labels');
  await page.goto(`${url}/app/webhooks`);
  await page.getByRole('table', { name: 'Webhooks' }).getByRole('link').first().waitFor();
  await shot('webhooks');
  await page.goto(`${url}/app/providers`);
  // Once the one in shadow has answered all.
  await page
    .locator('.facts > div')
    .filter({ hasText: /^Without an answer of the second0$/ })
    .waitFor();
  const disagreement = page.getByRole('region', { name: 'Newest disagreements' }).getByRole('row').nth(4);
  // So that the agreement above is in the picture, too.
  await disagreement.evaluate((row) => row.scrollIntoView(false));
  await shot('providers');
  await page.goto(`${url}/app/screenings`);
  await deposits.first().click();
  await page.locator('a[href^="/app/customers/"]').first().click();
  await deposits.first().waitFor();
  await shot('customer');
  await page.goto(`${url}/app/screenings`);
  await deposits.first().waitFor();
  await shot('screenings');
  await page.goto(`${url}/app/search?q=${await sharedTransaction()}`);
  await deposits.nth(1).waitFor();
  await shot('search');
}

/** A transaction of the sample that made several deposits. */
async function sharedTransaction(): Promise<string> {
  const seen = new Set<string>();
  for await (const { txid } of sampleDeposits()) {
    if (txid !== null && seen.has(txid)) return txid;
    if (txid !== null) seen.add(txid);
  }
  throw new Error('each transaction of the sample made one deposit');
}
