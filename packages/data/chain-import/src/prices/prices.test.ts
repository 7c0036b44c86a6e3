import { afterAll, describe, expect, it } from 'vitest';
import type { TransferRow } from '../rows.ts';
import { makeFolder } from '../testing/files.ts';
import { publicFile } from '../testing/public-files.ts';
import { priced, readPrices } from './prices.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const transfer: TransferRow = {
  chain: 'tron',
  txid: null,
  position: 0,
  from_address: 'a',
  to_address: 'b',
  coin: 'TRX',
  amount: '1000000.000001',
  usd_value: null,
  time: '2023-04-04T23:59:59.999Z',
  source: 'a test',
};

describe('prices', () => {
  it('are those of the UTC day, and exact', async () => {
    const prices = await readPrices([
      { path: folder.write('trx.csv', 'date,usd,eur\n2023-04-04,0.0664,0.06\n2023-04-05,0.07,0.06\n'), coin: 'TRX' },
    ]);
    expect(priced(transfer, prices).usd_value).toBe('66400.00000007');
    expect(priced({ ...transfer, time: '2023-04-05T00:00:00Z' }, prices).usd_value).toBe('70000.00000007');
  });

  it('that are not known leave the value unknown, and the source’s own value goes before', async () => {
    const prices = await readPrices([{ path: folder.write('all.csv', 'coin,date,usd\nTRX,2023-04-04,\nBTC,2023-04-04,28000\n') }]);
    expect(priced(transfer, prices)).toBe(transfer);
    for (const row of [{ coin: 'BTC', amount: null }, { coin: 'BTC', usd_value: '5' }, { coin: 'btc' }])
      expect(priced({ ...transfer, ...row }, prices).usd_value).toBe('usd_value' in row ? '5' : null);
    expect(priced({ ...transfer, coin: 'BTC', amount: '0.5' }, prices).usd_value).toBe('14000');
  });

  it('of an hour go before those of the day, and the last of a day stands for its other hours', async () => {
    const rows = ['TRX,2023-04-04T22:00:00Z,0.06', 'TRX,2023-04-04T23:00:00Z,0.07', 'BTC,2023-04-03,28000'];
    const prices = await readPrices([{ path: folder.write('hours.csv', `coin,date,usd\n${rows.join('\n')}\n`) }]);
    const valueAt = (time: string) => priced({ ...transfer, amount: '100', time }, prices).usd_value;
    expect(['T22:59:59Z', 'T23:00:00Z', 'T05:00:00Z'].map((time) => valueAt(`2023-04-04${time}`))).toEqual(['6', '7', '7']);
    expect(prices.newest).toEqual(new Date('2023-04-04T23:00:00Z'));
    const daily = await readPrices([{ path: folder.write('days.csv', 'coin,date,usd\nBTC,2023-04-03,28000\n') }]);
    expect(daily.newest).toEqual(new Date('2023-04-03'));
  });

  it('of the day before stand for a day without one, and no older ones', async () => {
    const prices = await readPrices([
      { path: folder.write('ends.csv', 'coin,date,usd\nTRX,2023-04-03,0.06\nTRX,2023-04-04T01:00:00Z,0.07\n') },
    ]);
    const valueAt = (time: string) => priced({ ...transfer, amount: '100', time }, prices).usd_value;
    expect(['2023-04-04T00:30:00Z', '2023-04-05T23:59:59Z', '2023-04-06T00:00:00Z'].map(valueAt)).toEqual(['7', '7', null]);
    expect(valueAt('2023-04-02T23:59:59Z')).toBeNull();
  });

  it('of real files are those that stand there', async () => {
    const prices = await readPrices([
      { path: publicFile('prices', 'trx_daily_usd_eur.csv'), coin: 'TRX' },
      { path: publicFile('prices', 'btc_daily_usd_eur_2010-2022.csv'), coin: 'BTC' },
    ]);
    expect(priced({ ...transfer, time: '2017-09-13', amount: '1000' }, prices).usd_value).toBe('1.98764');
    expect(priced({ ...transfer, coin: 'BTC', time: '2010-10-17', amount: '2' }, prices).usd_value).toBe('0.204');
    expect(priced({ ...transfer, time: '2009-01-03' }, prices).usd_value).toBeNull();
  });

  it.each([
    ['date,usd\n2023-04-04,1\n', 'prices.csv: there is no column coin'],
    ['coin,date\nTRX,2023-04-04\n', 'prices.csv: there is no column usd'],
    ['coin,date,usd\nTRX,2023-04-04,-1\n', 'prices.csv: record 2: usd is not a decimal number'],
    ['coin,date,usd\nTRX,4/4/2023,1\n', 'prices.csv: record 2: date is no time'],
    ['coin,date,usd\nTRX,2023-04-04\n', 'prices.csv: record 2: 2 cells where the header has 3'],
    ['coin,date,usd\n,2023-04-04,1\n', 'prices.csv: record 2: coin is missing'],
  ])('that are wrong end the import: %j', async (content, said) => {
    await expect(readPrices([{ path: folder.write('prices.csv', content) }])).rejects.toThrow(said);
  });
});
