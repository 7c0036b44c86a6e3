import { startUpstream } from '@weir/risk-client/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exchange, loadTracedMoney, mule, thief, txid } from '../e2e/traced-money.ts';
import { makeInstallation } from '../support/stack/installation.ts';
import {
  expectClean,
  expectCleanEverywhere,
  expectFile,
  exported,
  hostile,
  openPagesOf,
  type People,
  phoneSize,
  postDeposit,
} from './pages.ts';
import type { Tier } from './tiers.ts';

/** With the risk API of Weir, and a second provider that contradicts it. */
async function start(tier: Tier) {
  const below = await tier.prepare();
  const second = await startUpstream();
  second.answer(() => ({ data: { score: 3, risk_level: 'Low', detail_list: [] } }));
  const installation = await makeInstallation({
    env: {
      ...below.env,
      WEIR_SECOND_ROLE: 'shadow',
      WEIR_SECOND_PROVIDER: 'specified',
      WEIR_SECOND_URL: second.url,
      WEIR_SECOND_API_KEY: second.apiKey,
    },
  });
  const close = async (): Promise<void> => {
    await installation.remove();
    await second.close();
    await below.close();
  };
  try {
    await installation.start();
    await loadTracedMoney(installation, { thiefName: hostile });
  } catch (error) {
    await close();
    throw error;
  }
  return { installation, close };
}

/** Expects addresses to be asked about and traced, and providers to be compared, the same on every tier. */
export function expectAnalysis(tier: Tier): void {
  let running: Awaited<ReturnType<typeof start>> & People;
  beforeAll(async () => {
    running = await openPagesOf(start(tier));
  });
  afterAll(() => running?.close());

  test('an address that no transfer had is found by the search, asked about, and traced both ways', async () => {
    const { first } = running;
    await running.visit(first, `/app/search?q=${mule}`);
    await first.getByRole('heading', { name: `Address ${mule}` }).waitFor();
    await first.getByText('There is no screening with this address.').waitFor();
    await first.getByRole('button', { name: 'Chain' }).waitFor();
    await first.getByRole('button', { name: 'Ask the risk service' }).click();
    const asked = first.getByRole('region', { name: 'What the risk service says now' });
    await asked.getByText(/^Severe \d+$/).waitFor();
    await asked
      .getByRole('rowheader', { name: hostile })
      .getByText(/^Labelled by /)
      .waitFor();
    await asked.getByRole('rowheader', { name: 'money received from addresses labelled as stolen funds' }).waitFor();
    await asked.getByText(/^Without money received from .* Low, score 3\.$/).waitFor();
    const graph = asked.getByRole('figure', { name: 'Way of the money as a graph' });
    await graph.getByRole('button', { name: /^Screened address/ }).waitFor();
    await graph.getByText('2 places, 1 connections').waitFor();
    await graph.getByRole('button', { name: /Illicit activity · 0x/ }).click();
    await graph.getByRole('button', { name: 'Where it went' }).click();
    await graph.getByRole('button', { name: /^Some Exchange/ }).waitFor();
    await graph.getByText('3 places, 2 connections').waitFor();
    await graph.getByText(/^Where it went: \$30,000\.00 in 1 transfer,/).waitFor();
    expect(await graph.getByRole('button', { name: 'Where it went' }).isDisabled()).toBe(true);
    await graph.getByRole('button', { name: /^Some Exchange/ }).click();
    await graph.getByText('Some Exchange (Exchange), $27,000.00', { exact: false }).waitFor();
    const cell = `"${hostile.replaceAll('"', '""')}"`;
    expect(await exported(first, asked, 'Exposures')).toEqual({
      name: 'exposures.csv',
      lines: [
        'Side,Entity,Risk type,Labelled by,Distance,Value,Percent,Counterparty,Transactions',
        `Source of funds,${cell},Illicit activity,test,direct,30000,52.6316,${thief},${txid(1)}`,
        '',
      ],
    });
    const report = await first.getByRole('link', { name: 'Report (PDF)' }).getAttribute('href');
    await expectFile(first, report, 'application/pdf');
    const profile = first.getByRole('region', { name: 'Profile' });
    await profile.getByText('10 ETH in 1 transaction').waitFor();
    await profile.getByRole('list', { name: 'Counterparties' }).getByText('Some Exchange').waitFor();
    const transfers = first.getByRole('region', { name: 'Transfers on the chain' });
    await transfers.getByRole('button', { name: 'Show transfers' }).click();
    await transfers.getByRole('row', { name: /Received from.*malicious/ }).waitFor();
    expect(await exported(first, transfers, 'Transfers on the chain')).toEqual({
      name: 'chain-transfers.csv',
      lines: [
        'Counterparty,Side,Label,Kind,Amount,Coin,Transactions',
        `${thief},Received from,${cell},malicious,10,ETH,${txid(1)}`,
        `${exchange},Sent to,Some Exchange,known entity,9,ETH,${txid(2)}`,
        '',
      ],
    });
    await transfers.getByRole('button', { name: 'By side' }).click();
    await first.getByRole('option', { name: 'Sent to' }).click();
    await transfers.getByRole('row', { name: /Received from/ }).waitFor({ state: 'detached' });
    await transfers.getByLabel('Coin').fill('BTC');
    await transfers.getByRole('button', { name: 'Show transfers' }).click();
    await transfers.getByText(/is no coin of this chain/).waitFor();
    await transfers.getByLabel('Coin').fill('USDT-ERC20');
    await transfers.getByRole('button', { name: 'Show transfers' }).click();
    await transfers.getByText('No transfer is known.').waitFor();
    const trace = first.getByRole('region', { name: 'Trace the money' });
    await trace.getByRole('button', { name: 'Where it went' }).click();
    const ends = trace.getByRole('row').filter({ has: first.getByRole('rowheader') });
    await ends.filter({ hasText: 'Some Exchange' }).getByRole('cell', { name: 'Exchange', exact: true }).waitFor();
    await trace.getByText(/^\$27,000\.00 in 1 transfer,/).waitFor();
    expect(await exported(first, trace, 'Went to')).toEqual({
      name: 'trace-forward.csv',
      lines: ['Went to,Category,Address,Value,Unit,Hops,Transactions', `Some Exchange,Exchange,${exchange},27000,USD,1,${txid(2)}`, ''],
    });
    await trace.getByRole('button', { name: 'Where it came from' }).click();
    await ends.filter({ hasText: hostile }).getByRole('cell', { name: 'Stolen funds', exact: true }).waitFor();
    await trace
      .getByRole('figure', { name: 'Way of the money as a graph' })
      .getByRole('button', { name: /Stolen funds · 0x/ })
      .waitFor();
    await expectClean(first, 'an address that was asked about');
    await first.setViewportSize(phoneSize);
    await expectClean(first, 'the same on a phone');
    await first.setViewportSize({ width: 1280, height: 800 });
    const open = { chain: 'ethereum', transfers: 'out', transfers_coin: 'USDT-ERC20', trace: 'backward' };
    expect(Object.fromEntries(new URL(first.url()).searchParams)).toEqual(open);
    await trace.locator(`a[href="/app/addresses/${thief}"]`).first().click();
    await first.getByRole('heading', { name: `Address ${thief}` }).waitFor();
    expect(await first.getByRole('region', { name: 'Profile' }).count()).toBe(0);
    // On the way back, answers are shown again and cost nothing; a page that is loaded again has what was asked, and asks nothing by itself.
    const questions: string[] = [];
    first.on('request', (request) => void (/\/v1\/analyses\/(?!chains)/.test(request.url()) && questions.push(request.url())));
    await first.goBack();
    await ends.filter({ hasText: hostile }).getByRole('cell', { name: 'Stolen funds', exact: true }).waitFor();
    await asked.getByText(/^Severe \d+$/).waitFor();
    await transfers.getByText('No transfer is known.').waitFor();
    expect(Object.fromEntries(new URL(first.url()).searchParams)).toEqual(open);
    await first.reload();
    const ask = first.getByRole('button', { name: 'Ask the risk service' });
    await ask.waitFor();
    expect(await trace.count()).toBe(0);
    expect(questions).toEqual([]);
    await ask.click();
    await trace.getByRole('button', { name: 'Where it came from' }).waitFor();
    // The reader has asked for what was open before.
    await transfers.getByText('No transfer is known.').waitFor();
    expect(await transfers.getByLabel('Coin').inputValue()).toBe('USDT-ERC20');
    expect(questions.filter((url) => url.includes('/transfers')).map((url) => new URL(url).searchParams.get('side'))).toEqual(['out']);
    expect(running.complaints).toEqual([]);
  });

  test('ends of a trace have words for their kind, and those of another provider are readable', async () => {
    const page = await running.open('dark', undefined, running.first.context());
    await page.route(/\/v1\/analyses\/trace\?/, async (route) => {
      const answer = await route.fetch();
      const trace = await answer.json();
      const [end] = trace.ends;
      const held = { ...end, kind: 'held', entity: '', category: '' };
      const other = { ...end, kind: `cold_store ${hostile}`, entity: '', category: `pyramid_scheme ${hostile}`, address: thief };
      await route.fulfill({ json: { ...trace, ends: [held, other] } });
    });
    await running.visit(page, `/app/addresses/${mule}`);
    await page.getByRole('button', { name: 'Ask the risk service' }).click();
    const trace = page.getByRole('region', { name: 'Trace the money' });
    await trace.getByRole('button', { name: 'Where it went' }).click();
    await trace.getByRole('rowheader', { name: 'Still at this address' }).waitFor();
    const other = trace.getByRole('row').filter({ has: page.getByRole('rowheader', { name: `cold store ${hostile}` }) });
    await other.getByRole('cell', { name: `pyramid scheme ${hostile}`, exact: true }).waitFor();
    await trace
      .getByRole('figure', { name: 'Way of the money as a graph' })
      .getByRole('button', { name: /^Still at this address/ })
      .click();
    await trace.getByText('Still at this address, $27,000.00', { exact: false }).waitFor();
    await expectClean(page, 'ends of a trace without names');
    await page.context().close();
  });

  test('an address can be asked about again, without a reload, once the part that answers is back', async () => {
    const page = await running.open('light', undefined, running.first.context());
    await page.route('**/v1/analyses/chains*', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: JSON.stringify({ code: 'AWAY', detail: 'away for now' }),
      }),
    );
    await running.visit(page, `/app/addresses/${exchange}`);
    const asking = page.getByRole('region', { name: 'What the risk service says now' });
    await asking.getByRole('alert').getByText('away for now').waitFor();
    await page.unroute('**/v1/analyses/chains*');
    await asking.getByRole('button', { name: 'Ask the risk service' }).waitFor();
    await page.context().close();
  });

  test('a provider that does not answer is said so, and asked again when the reader says', async () => {
    const page = await running.open('light', undefined, running.first.context());
    await page.route('**/v1/analyses/scores', (route) =>
      route.fulfill({
        status: 429,
        contentType: 'application/problem+json',
        body: JSON.stringify({ code: 'BUDGET_EXHAUSTED', detail: 'no budget' }),
      }),
    );
    await running.visit(page, `/app/addresses/${exchange}`);
    await page.getByRole('button', { name: 'Ask the risk service' }).click();
    await page.getByRole('alert').getByText('no budget').waitFor();
    await page.unroute('**/v1/analyses/scores');
    await page.getByRole('alert').getByRole('button').click();
    await page
      .getByRole('region', { name: 'What the risk service says now' })
      .getByText(/^(Low|Moderate|High|Severe) \d+$/)
      .waitFor();
    await page.context().close();
  });

  test('providers are listed with their role, and disagreements lead to the screening', async () => {
    const { first } = running;
    await running.visit(first, '/app/providers');
    await first.getByText('No result was compared.').waitFor();
    const screening = await postDeposit(running, {
      deposit_id: 'compared',
      coin: 'ETH',
      amount: '1',
      usd_value: '3000',
      from_address: mule,
      to_address: `0x${'c'.repeat(40)}`,
    });
    await first.getByRole('region', { name: 'Who is asked' }).getByText('is compared, decides nothing').waitFor();
    const link = first.getByRole('region', { name: 'Newest disagreements' }).getByRole('row').getByRole('link');
    // The page reads again by itself.
    await link.waitFor();
    await first.getByRole('region', { name: 'Agreement' }).getByRole('row', { name: 'Severe Low 1' }).waitFor();
    await expectCleanEverywhere(running, '/app/providers');
    await running.visit(first, '/app/providers?days=1');
    const levels = await exported(first, first.getByRole('region', { name: 'Agreement', exact: true }));
    expect(levels).toEqual({ name: 'provider-levels.csv', lines: ['first,second,count', 'Severe,Low,1', ''] });
    const categories = await exported(first, first.getByRole('region', { name: 'Risk types' }));
    expect([categories.name, categories.lines[0]]).toEqual(['provider-categories.csv', 'category,both,first_only,second_only']);
    const { name, lines } = await exported(first, first.getByRole('region', { name: 'Newest disagreements' }));
    expect([name, lines.length]).toEqual(['provider-disagreements.csv', 3]);
    expect(lines[1]).toMatch(new RegExp(`^${screening},20[^,]+Z,Severe,`));
    // The page has read the days that it was asked for.
    await link.click();
    await first.waitForURL(new RegExp(`/app/screenings/${screening}$`));
    for (const page of [first, running.second]) {
      await running.visit(page, `/app/screenings/${screening}`);
      await page.getByRole('heading', { name: 'Source of funds' }).waitFor();
      for (const way of await page.locator('details.way > summary').all()) await way.click();
      await page.locator('details.way[open]').first().waitFor();
      await expectClean(page, 'a case with its exposures opened');
      await page.setViewportSize(phoneSize);
      await expectClean(page, 'the same on a phone');
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });
}
