import type { Kind, ScreeningDecided, ScreeningRequested, Transfer } from '@weir/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decided, receiver, requested, scored, sender, type TestEvent } from './events.testing.ts';
import { screeningOperations } from './routes.ts';
import { openTestApi, type TestApi } from './routes.testing.ts';
import type { ScreeningView } from './view.ts';

const tron = 'TQrY8tryqsYVCYS3MFbtffiPp2ccyn4STm';
const bitcoinCash = 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a';
const legacy = '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu';
/** EIP-55. */
const mixedCase = '0x28C6c06298d514Db089934071355E5743bf21d60';

/** The n-th transfer, with what the filters read. */
function transfer(kind: Kind, n: number, over: Partial<Transfer> = {}, decision: Partial<ScreeningDecided> = {}): TestEvent[] {
  const { data } = requested(kind, n) as { data: ScreeningRequested };
  const sent = { ...data.transfer, ...over };
  const subject = kind === 'withdrawal' ? sent.to_address : (sent.txid ?? sent.from_address);
  const subject_type = kind === 'deposit' && sent.txid !== null ? 'txid' : 'address';
  const question = { transfer: sent, subject: subject ?? '', subject_type } as const;
  return [requested(kind, n, question), scored(kind, n, question), decided(kind, n, { transfer: sent, ...decision })];
}

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi(screeningOperations);
  await api.take([
    ...transfer('deposit', 1, { usd_value: '999.99', user_id: 'u-2' }),
    ...transfer('deposit', 2, { usd_value: '1000', coin: 'USDT-ERC20' }, { action: 'review', rule: 'large' }),
    ...transfer('deposit', 3, { usd_value: null, from_address: receiver, txid: null }),
    ...transfer('deposit', 4, { chain: 'tron', coin: 'TRX', from_address: tron, txid: 'ab'.repeat(32), usd_value: '123456789.5' }),
    ...transfer('deposit', 5, { chain: 'bitcoin-cash', coin: 'BCH', from_address: bitcoinCash, txid: 'cd'.repeat(32), usd_value: '0.5' }),
    ...transfer('withdrawal', 6, { to_address: sender, usd_value: '1000000' }),
    ...transfer('withdrawal', 7, { to_address: 'no address', usd_value: 'much' }),
    ...transfer('deposit', 8, {}, { action: 'review', rule: 'first' }),
    decided('deposit', 8, { revision: 2, supersedes: 1, rule: 'second', action: 'review' }),
    decided('deposit', 8, { revision: 3, supersedes: 2, rule: null, action: 'allow', reason_codes: ['REVIEWED'] }),
  ]);
});
afterAll(() => api.close());

async function ids(query: string): Promise<(string | undefined)[]> {
  const answer = await api.get(`/v1/screenings?${query}`);
  expect(answer.status).toBe(200);
  const { items } = (await answer.json()) as { items: ScreeningView[] };
  return items.map(({ transfer: { deposit_id, withdrawal_id } }) => deposit_id ?? withdrawal_id);
}

test.each([
  [`address=${sender}`, ['deposit-8', 'withdrawal-6', 'deposit-2', 'deposit-1']],
  [`address=${sender.toUpperCase()}&kind=withdrawal`, ['withdrawal-6']],
  // Both sides of deposit-3.
  [`address=${mixedCase}&since=2026-01-01T00:00:02Z&until=2026-01-01T00:00:05Z`, ['deposit-4', 'deposit-3', 'deposit-2']],
  [`address=${tron}`, ['deposit-4']],
  [`address=${tron.toLowerCase()}`, []],
  [`address=${legacy}`, ['deposit-5']],
  [`address=${bitcoinCash.toUpperCase()}`, ['deposit-5']],
  ['address=no address', ['withdrawal-7']],
  ['user_id=u-2', ['deposit-1']],
  [`user_id=u-1&address=${mixedCase}&coin=TRX`, ['deposit-4']],
  ['user_id=U-2', []],
  ['source_id=deposit-4', ['deposit-4']],
  ['source_id=deposit-4&kind=withdrawal', []],
  ['source_id=unknown', []],
  [`txid=${'AB'.repeat(32)}`, ['deposit-4']],
  [`txid=${sender}`, []],
  [`txid=${'ab'.repeat(32)}&address=${tron}`, ['deposit-4']],
  [`txid=${'ab'.repeat(32)}&address=${sender}`, []],
  ['chain=tron', ['deposit-4']],
  ['reason=REVIEWED', ['deposit-8']],
  ['coin=usdt-erc20', ['deposit-2']],
  ['coin=nothing', []],
  ['rule=large', ['deposit-2']],
  ['rule=second', ['deposit-8']],
  ['rule=first', []],
  ['since=2026-01-01T00:00:08%2B00:00', ['deposit-8']],
  ['until=2026-01-01T00:00:01.001Z', ['deposit-1']],
  ['min_usd=1000', ['withdrawal-6', 'deposit-4', 'deposit-2']],
  ['min_usd=1000.01', ['withdrawal-6', 'deposit-4']],
  ['min_usd=0', ['withdrawal-6', 'deposit-5', 'deposit-4', 'deposit-2', 'deposit-1']],
  ['min_usd=123456789.50', ['deposit-4']],
  ['min_usd=999999999999999999999999999999', []],
  [`min_usd=1&address=${sender}`, ['withdrawal-6', 'deposit-2', 'deposit-1']],
  ['min_usd=1&user_id=u-2', ['deposit-1']],
  ['kind=deposit&action=review&level=Severe&coin=USDT-ERC20&rule=large&min_usd=1', ['deposit-2']],
  ['max_usd=999.99', ['deposit-5', 'deposit-1']],
  ['min_usd=1000&max_usd=1000000', ['withdrawal-6', 'deposit-2']],
  ['sort=oldest&min_usd=1000', ['deposit-2', 'deposit-4', 'withdrawal-6']],
  ['sort=value&min_usd=0', ['deposit-4', 'withdrawal-6', 'deposit-2', 'deposit-1', 'deposit-5']],
  [`sort=value&address=${sender}`, ['withdrawal-6', 'deposit-2', 'deposit-1', 'deposit-8']],
  ['sort=value&user_id=u-2', ['deposit-1']],
  ['sort=value&chain=tron', ['deposit-4']],
  ['sort=value&source_id=deposit-4', ['deposit-4']],
  ['sort=value&coin=nothing', []],
])('by %s', async (query, expected) => {
  expect(await ids(query)).toEqual(expected);
});

test.each(['sort=newest', 'sort=oldest'])('a cursor of a list by value is none of one with %s, and the reverse', async (sort) => {
  const nextOf = async (query: string): Promise<string> =>
    ((await (await api.get(`/v1/screenings?limit=1&${query}`)).json()) as { next_cursor: string }).next_cursor;
  const pairs: readonly (readonly [string, string])[] = [
    [sort, 'sort=value'],
    ['sort=value', sort],
  ];
  for (const [of, wrong] of pairs) {
    const answer = await api.get(`/v1/screenings?${wrong}&cursor=${await nextOf(of)}`);
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 'INVALID_CURSOR' })]);
  }
});

test.each([`address=${sender}`, 'min_usd=0', `address=${mixedCase}`, 'sort=oldest', 'sort=value', `sort=value&address=${mixedCase}`])(
  'is read to its end by the cursor: %s',
  async (query) => {
    const found: string[] = [];
    let cursor = '';
    do {
      const { items, next_cursor } = (await (await api.get(`/v1/screenings?${query}&limit=1&cursor=${cursor}`)).json()) as {
        items: ScreeningView[];
        next_cursor: string | null;
      };
      found.push(...items.map(({ transfer: { deposit_id, withdrawal_id } }) => deposit_id ?? withdrawal_id ?? ''));
      cursor = next_cursor ?? '';
    } while (cursor !== '');
    expect(found).toEqual(await ids(query));
  },
);
