import { expect, it } from 'vitest';
import { type Assessment, scoreAddress } from '../index.ts';
import { memoryStore, type TransferRow } from '../testing.ts';

const chain = 'bitcoin';
const names = ['thief', 'a', 'b', 'c', 'd'];

/** Each of the payers pays each of as many outputs the same part, in one transaction. */
function mixed(payers: readonly string[], usd: number): TransferRow[] {
  const outputs = payers.map((_, at) => `output ${at}`);
  const pairs = payers.flatMap((from) => outputs.map((to) => ({ from, to })));
  return pairs.map((pair, position) => ({ chain, txid: 'mix', usd: usd / payers.length, at: 100, position, coin_join: true, ...pair }));
}

const paid = (from: string, to: string, usd: number, at: number): TransferRow => ({ chain, txid: `${from} ${to}`, from, to, usd, at });

function scoreOf(subject: string, transfers: readonly TransferRow[]): Promise<Assessment> {
  const label = (address: string, category: string) => ({
    chain,
    address,
    name: address,
    category,
    confidence: 1,
    source: 's',
    valid_from: null,
    valid_to: null,
  });
  const labels = [label('thief', 'theft'), label('listed', 'sanctioned'), label('exchange', 'exchange')];
  return scoreAddress(memoryStore({ transfers, labels }), chain, subject, 1_000);
}

async function levelOf(subject: string, transfers: readonly TransferRow[]): Promise<string> {
  return (await scoreOf(subject, transfers)).level;
}

const strangers = names.slice(1).map((name) => paid('exchange', name, 5_000, 1));

it('one thief among five in a CoinJoin makes none of the others High, nor whom they pay', async () => {
  const transfers = [...strangers, ...mixed(names, 5_000), paid('output 1', 'payee', 5_000, 200)];
  for (const subject of ['output 0', 'output 4']) expect(await levelOf(subject, transfers)).toBe('Moderate');
  expect(['Low', 'Moderate']).toContain(await levelOf('payee', transfers));
  const payment = transfers.map(({ chain: of, txid, from, to, usd, at = 0 }) => ({ chain: of, txid, from, to, usd, at }));
  expect(await levelOf('output 4', payment)).toBe('High');
});

it('a thief who signs a CoinJoin with wallets of his own mixes with nobody', async () => {
  const own = names.slice(1).map((name) => paid('thief', name, 5_000, 1));
  expect(await levelOf('output 4', [...own, ...mixed(names, 5_000)])).toBe('Severe');
});

it('who signs a CoinJoin has no contact with a sanctioned address that a stranger pays or is', async () => {
  const output = mixed(names.slice(1), 5_000).map((row) => (row.to === 'output 3' ? { ...row, to: 'listed' } : row));
  const payer = await scoreOf('a', [...strangers, ...output]);
  expect(payer.exposures).toMatchObject([
    { side: 'out', entity: 'listed', risk_type: 'sanctioned_entity', exposure_type: 'indirect', hop_num: 2, counterparty: 'listed' },
  ]);
  expect(payer.score).toBeLessThanOrEqual(70);
  const payee = await scoreOf('output 4', [...strangers, ...mixed(['listed', ...names.slice(1)], 5_000)]);
  expect(payee.level).toBe('Moderate');
  expect(payee.exposures).toMatchObject([{ side: 'in', entity: 'listed', exposure_type: 'indirect', volume: 1_000 }]);
});

it('who signs a CoinJoin alone, as a sanctioned address, has contact with his outputs', async () => {
  const own = names.slice(1).map((name) => paid('listed', name, 5_000, 1));
  const { exposures } = await scoreOf('output 4', [...own, ...mixed(['listed', ...names.slice(1)], 5_000)]);
  expect(exposures.map(({ entity, exposure_type }) => [entity, exposure_type])).toContainEqual(['listed', 'direct']);
});

it('a CoinJoin hides no large sum', async () => {
  const large = names.slice(1).map((name) => paid('exchange', name, 100_000, 1));
  expect(await levelOf('output 4', [...large, ...mixed(names, 100_000)])).toBe('High');
});
