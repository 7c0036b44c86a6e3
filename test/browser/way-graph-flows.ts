import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectCleanEverywhere, expectCleanNow, expectCleanPageNow, hostile, limitMs, postDeposit } from './pages.ts';
import type { TierPages } from './tiers.ts';

const sender = `0x${'9'.repeat(40)}`;
export const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
export const hop = (from: string, to: string, day: number) => ({
  txid: `0x${from.slice(2)}${to.slice(2, 26)}`,
  time: `2026-03-${String(day).padStart(2, '0')}T12:00:00Z`,
  coin: 'ETH',
  amount: '1.25',
  usd: 3_750,
  from,
  to,
});
/** Of `length` transfers to the sender. */
const way = (start: number, length: number) => {
  const places = Array.from({ length }, (_, n) => addressOf(start + n)).concat(sender);
  return places.slice(1).map((to, n) => hop(places[n] ?? '', to, n + 1));
};
const exposure = { exposure_type: 'indirect', hop_num: 3, volume: 3_750, percent: 60, side: 'in', counterparty: null };
const risk_detail = [
  { ...exposure, entity: `Mixer ${hostile}`, risk_type: 'mixer', path: way(0x100, 3) },
  { ...exposure, entity: 'Long way', risk_type: 'illicit_activity', percent: 5, hop_num: 29, path: way(0x200, 29) },
  { ...exposure, entity: 'Small casino', risk_type: 'gambling', volume: 12, percent: 1, path: way(0x300, 2) },
  { ...exposure, entity: 'Far entity', risk_type: 'bridge', volume: null, percent: null, hop_num: 4, path: [] },
];

/** Expects the graph of a case to work, the same on every tier. */
export function expectWayGraph(pages: () => TierPages): void {
  describe('the graph of a case', () => {
    let running: TierPages;
    let first: Page;
    let view: string;

    beforeAll(async () => {
      running = pages();
      ({ first } = running);
      running.upstream.answer(() => ({ data: { score: 80, risk_level: 'High', risk_detail } }));
      const screening = await postDeposit(running, {
        deposit_id: 'in-graph',
        coin: 'ETH',
        amount: '1.5',
        usd_value: '4500',
        from_address: sender,
        to_address: `0x${'c'.repeat(40)}`,
      });
      view = `/app/screenings/${screening}`;
      await running.visit(first, view);
      await first.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    });

    test('a case draws the ways of its money hop by hop, and shows the transfers of a place and of a connection', async () => {
      const graph = first.getByRole('figure', { name: 'Way of the money as a graph' });
      await graph.getByRole('button', { name: /^Screened address / }).waitFor();
      await graph.getByRole('button', { name: /^Mixer / }).click();
      await graph.getByText('$3,750.00, 60 %').waitFor();
      expect(await graph.getByRole('link').first().getAttribute('href')).toBe(`/app/addresses/${addressOf(0x100)}`);
      await graph
        .getByRole('button', { name: /^1\.25 ETH 3 Mar 2026/ })
        .first()
        .click();
      await graph.getByText(`→`).first().waitFor();
      await graph.getByRole('button', { name: /^4 hops transfers not known/ }).press('Enter');
      await graph.getByText('4 hops; the provider gives no transfers.').waitFor();
    });

    test('a case whose graph cannot be loaded stays, and draws it when Weir answers', async () => {
      const page = await running.open('light', undefined, first.context());
      await page.route(/\/(assets\/way-graph-|healthz)/, (route) => route.abort());
      await running.visit(page, view);
      await page.getByText('This part could not be shown.').waitFor();
      await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
      await expectCleanPageNow(page, 'a case without its graph');
      // The browser's own word of the file.
      expect(running.complaints.splice(0).join()).toMatch(/way-graph-[^ ]+$/);
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Load it again' }).click();
      await page.getByRole('figure', { name: 'Way of the money as a graph' }).waitFor();
      await page.context().close();
    });

    test('a long way is folded until it is expanded, and small exposures can be hidden', async () => {
      await running.visit(first, view);
      const graph = first.getByRole('figure', { name: 'Way of the money as a graph' });
      const expand = graph.getByRole('button', { name: 'Show 29 transfers' });
      await expand.focus();
      await first.keyboard.press('Enter');
      await expand.waitFor({ state: 'detached' });
      await graph.getByRole('button', { name: /^Small casino / }).waitFor();
      await graph
        .getByRole('button', { name: /^Exposures|All/ })
        .first()
        .click();
      await first.getByRole('option', { name: 'From $100', exact: true }).click();
      await graph.getByText('1 small way hidden').waitFor();
      expect(await graph.getByRole('button', { name: /^Small casino / }).count()).toBe(0);
      // Of unknown value, so it is not small.
      await graph.getByRole('button', { name: /^Far entity / }).waitFor();
    });

    test('a place can be followed further, and a provider that does not answer is said so', async () => {
      await running.visit(first, view);
      const graph = first.getByRole('figure', { name: 'Way of the money as a graph' });
      await graph.getByRole('button', { name: /^Mixer / }).click();
      const asked: string[] = [];
      await first.route(/\/v1\/analyses\/trace\?/, (route) => {
        asked.push(route.request().url());
        return route.fulfill({
          status: 429,
          contentType: 'application/problem+json',
          body: JSON.stringify({ code: 'BUDGET_EXHAUSTED', detail: 'no budget' }),
        });
      });
      const ask = graph.getByRole('button', { name: 'Where it came from' });
      await ask.focus();
      await first.keyboard.press('Enter');
      await graph.getByRole('alert').getByText('no budget').waitFor();
      const of = { chain: 'ethereum', address: addressOf(0x100), coin: 'ETH', direction: 'backward' };
      expect(asked.map((url) => Object.fromEntries(new URL(url).searchParams))).toEqual([of]);
      // The reader may ask again.
      await graph.locator('button:focus', { hasText: 'Where it came from' }).waitFor();
      await first.unrouteAll();
    });

    test('what is followed in one case is not drawn in another', async () => {
      const other = await postDeposit(running, {
        deposit_id: 'in-graph-2',
        coin: 'ETH',
        amount: '2.5',
        usd_value: '7500',
        from_address: sender,
        to_address: `0x${'c'.repeat(40)}`,
      });
      const end = { entity: 'Some Exchange', kind: 'service', category: 'exchange', address: addressOf(0x400), hops: 2 };
      const path = [hop(addressOf(0x100), addressOf(0x401), 4), hop(addressOf(0x401), addressOf(0x400), 5)];
      await first.route(/\/v1\/analyses\/trace\?/, (route) =>
        route.fulfill({
          json: {
            direction: 'forward',
            unit: 'USD',
            value: 1_000,
            transfers: 9,
            read: { addresses: 7, transfers: 30 },
            ends: [{ ...end, value: { haircut: 900 }, path }],
            others: { ends: 2, value: { haircut: 60 } },
            not_followed: { addresses: 1, value: { haircut: 40 } },
          },
        }),
      );
      await running.visit(first, view);
      const graph = first.getByRole('figure', { name: 'Way of the money as a graph' });
      const counts = graph.getByText(/ places, /);
      await graph.getByRole('button', { name: /^Screened address / }).waitFor();
      const before = await counts.textContent();
      await first.getByLabel('Search').fill(other);
      await first.getByLabel('Search').press('Enter');
      await first.waitForURL(new RegExp(`/app/screenings/${other}$`));
      await first.locator('h1:focus').waitFor();
      await graph.getByRole('button', { name: /^Mixer / }).click();
      await graph.getByRole('button', { name: 'Where it went' }).press('Enter');
      await graph.getByRole('button', { name: /^Some Exchange / }).waitFor();
      const said =
        'Where it went: $1,000.00 in 9 transfers, followed through 7 addresses. 2 smaller ends: $60.00. Not followed further: $40.00 at 1 address.';
      await graph.getByText(said).and(graph.locator(':focus *')).waitFor();
      // No exposure of the screened address.
      await graph.getByRole('button', { name: /^Some Exchange / }).click();
      await graph.getByText('Some Exchange (Exchange), $900.00', { exact: true }).waitFor();
      await graph.getByText(/^Traced from 0x/).waitFor();
      await expectCleanNow(first, 'a graph with a way that was followed');
      await first.goBack();
      await first.waitForURL((url) => url.pathname === view);
      await first.locator('h1', { hasText: '1.5 ETH' }).waitFor();
      await graph.getByRole('button', { name: /^Screened address / }).waitFor();
      expect(await counts.textContent()).toBe(before);
      expect(await graph.getByRole('button', { name: /^Some Exchange / }).count()).toBe(0);
      await first.unrouteAll();
    });

    test('the header, which stays, hides nothing that keys move the focus to', async () => {
      await running.visit(first, view);
      await first.getByRole('button', { name: /^Screened address / }).waitFor();
      await first.locator('main').getByRole('button').last().focus();
      const standing = (): Promise<string> =>
        first.evaluate<string>(`(() => {
          const at = document.activeElement;
          const { bottom } = document.querySelector('.top').getBoundingClientRect();
          if (at.closest('.top') !== null) return 'in the header';
          return at.getBoundingClientRect().top < bottom ? at.outerHTML.slice(0, 100) : 'below it';
        })()`);
      let headers = 0;
      for (let n = 0; n < 40; n += 1) {
        await first.keyboard.press('Shift+Tab');
        // The page may still scroll.
        await expect.poll(standing, { timeout: limitMs }).toMatch(/^(in the header|below it)$/);
        if ((await standing()) === 'in the header') headers += 1;
      }
      // Most of the places were on the page.
      expect(headers).toBeLessThan(20);
    });

    test('the drawing is saved as a picture', async () => {
      await running.visit(first, view);
      const graph = first.getByRole('figure', { name: 'Way of the money as a graph' });
      await graph.getByRole('button', { name: /^Screened address / }).waitFor();
      const downloading = first.waitForEvent('download');
      await graph.getByRole('button', { name: 'Save as picture' }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toMatch(/^weir-[0-9a-f-]{36}\.png$/);
      const bytes = readFileSync(await download.path());
      expect(bytes.subarray(1, 4).toString()).toBe('PNG');
      expect(bytes.length).toBeGreaterThan(10_000);
      if (process.env['WEIR_PICTURE'] !== undefined) await download.saveAs(process.env['WEIR_PICTURE']);
    });

    test('axe finds nothing in it, light, dark and on a phone, and nothing of others becomes markup', async () => {
      await expectCleanEverywhere(running, view, (page) => page.getByRole('button', { name: /^Screened address / }).waitFor());
    });

    test('axe finds nothing in a chosen place with its transfers, nor in a chosen connection', async () => {
      await expectCleanEverywhere(running, view, async (page) => {
        await page.getByRole('button', { name: /^Mixer / }).click();
        await page.getByText('$3,750.00, 60 %').waitFor();
      });
      await first.getByRole('button', { name: /^4 hops transfers not known/ }).press('Enter');
      await first.getByText('4 hops; the provider gives no transfers.').waitFor();
      await expectCleanNow(first, `${view}: a chosen connection`);
    });
  });
}
