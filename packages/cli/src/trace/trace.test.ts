import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from '../testing/workspace.ts';

const address = (digit: string): string => `0x${digit.repeat(40)}`;
const [thief, wallet, exchange, twice] = ['1', '2', '3', '4'].map(address) as [string, string, string, string];
const txid = (digit: string): string => `0x${digit.repeat(64)}`;

const rows = [
  ['ethereum', txid('a'), exchange, wallet, 'ETH', '200', '500000', '2026-01-30T00:01:00Z'],
  ['ethereum', txid('b'), thief, wallet, 'ETH', '400', '1000000', '2026-01-30T00:02:00Z'],
  ['ethereum', txid('c'), wallet, exchange, 'ETH', '240', '600000', '2026-01-30T00:03:00Z'],
  ['ethereum', txid('d'), thief, wallet, 'ETH', '3', '', '2026-01-31T00:00:00Z'],
  ['ethereum', txid('e'), wallet, twice, 'ETH', '1', '2500', '2026-01-31T00:01:00Z'],
  ['bsc', txid('f'), wallet, twice, 'BNB', '1', '600', '2026-01-31T00:01:00Z'],
];

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
  const labels = `chain,address,name,category,source\nethereum,${thief},Vault exploiter,theft,test\nethereum,${exchange},First Exchange,exchange,test\n`;
  const head = 'chain,txid,from_address,to_address,coin,amount,usd_value,time';
  workspace.write('labels.csv', labels);
  workspace.write('transfers.csv', [head, ...rows.map((row) => row.join(','))].join('\n'));
  for (const kind of ['labels', 'transfers']) {
    const { code, stderr } = await workspace.run(kind, 'import', `${kind}.csv`, '--format', 'csv', '--source', 'test');
    if (code !== 0) throw new Error(stderr);
  }
});
afterAll(() => workspace.remove());

/** Lines with single spaces. */
const lines = (text: string): string[] => text.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' '));

describe('weir trace', () => {
  test('shows where the money went, by the three methods side by side, and the paths', async () => {
    const { code, stdout, stderr } = await workspace.run('trace', thief, '--until', '2026-01-30T23:00:00Z', '--paths', '2');
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(lines(stdout)).toEqual([
      `${thief} on ethereum: where its money went`,
      '1,000,000.00 USD sent in 1 transfer; 2 addresses and 5 transfers read.',
      '',
      'END WHO HOPS HAIRCUT USD FIFO USD POISON USD',
      `held ${wallet} 1 598,333.33 897,500.00 897,500.00`,
      'service First Exchange (exchange) 2 400,000.00 100,000.00 600,000.00',
      `held ${twice} 2 1,666.67 2,500.00 2,500.00`,
      'sum 1,000,000.00 1,000,000.00 1,500,000.00',
      '',
      `Path to ${wallet}: 598,333.33 USD by haircut, 1 transfer`,
      'TIME AMOUNT USD TRACED USD FROM TO TRANSACTION',
      `2026-01-30T00:02:00Z 400 ETH 1,000,000.00 1,000,000.00 ${thief} ${wallet} ${txid('b')}`,
      '',
      'Path to First Exchange (exchange): 400,000.00 USD by haircut, 2 transfers',
      'TIME AMOUNT USD TRACED USD FROM TO TRANSACTION',
      `2026-01-30T00:02:00Z 400 ETH 1,000,000.00 1,000,000.00 ${thief} ${wallet} ${txid('b')}`,
      `2026-01-30T00:03:00Z 240 ETH 600,000.00 400,000.00 ${wallet} ${exchange} ${txid('c')}`,
      '',
    ]);
  });

  test('sums up what the table has no line for', async () => {
    const { stdout } = await workspace.run('trace', thief, '--until', '2026-01-30T23:00:00Z', '--limit', '1', '--paths', '0');
    expect(lines(stdout).slice(4, 7)).toEqual([
      `held ${wallet} 1 598,333.33 897,500.00 897,500.00`,
      '2 smaller terminals 401,666.67 102,500.00 602,500.00',
      'sum 1,000,000.00 1,000,000.00 1,500,000.00',
    ]);
  });

  test('says which transfers are not followed; in a coin they are', async () => {
    const usd = await workspace.run('trace', thief, '--since', '2026-01-31T00:00:00Z');
    expect(usd.stderr).toContain('without a known value in USD: 1; --coin follows a coin by its amount');
    const coin = await workspace.run('trace', thief, '--since', '2026-01-31T00:00:00Z', '--coin', 'eth', '--method', 'fifo', '--json');
    expect(JSON.parse(coin.stdout)).toMatchObject({
      chain: 'ethereum',
      address: thief,
      direction: 'forward',
      unit: 'ETH',
      value: 3,
      terminals: [{ kind: 'held', address: wallet, value: { fifo: 3 }, path: [{ txid: txid('d'), amount: '3', usd: null }] }],
    });
  });

  test('shows where money came from', async () => {
    const { code, stdout } = await workspace.run('trace', twice, '--chain', 'ethereum', '--direction', 'backward', '--paths', '0');
    expect(code).toBe(0);
    expect(lines(stdout).slice(0, 7)).toEqual([
      `${twice} on ethereum: where its money came from`,
      '2,500.00 USD received in 1 transfer; 1 address and 5 transfers read.',
      '',
      'END WHO HOPS HAIRCUT USD FIFO USD POISON USD',
      'risk Vault exploiter (theft) 2 1,666.67 2,500.00 1,000,000.00',
      'service First Exchange (exchange) 2 833.33 0.00 500,000.00',
      'sum 2,500.00 2,500.00 1,500,000.00',
    ]);
  });

  test.each([
    [['nobody'], 2, '"nobody" is no address of'],
    [[address('9')], 1, `no transfer of ${address('9')} is known; "weir transfers import" loads them`],
    [[wallet], 2, 'has transfers on bsc, ethereum: choose one with --chain'],
    [[wallet, '--chain', 'tron'], 2, 'is no address of tron'],
    [[wallet, '--coin', 'EHT'], 2, 'the coin "EHT" is not known'],
    [[wallet, '--coin', 'ETH', '--chain', 'bsc'], 2, 'ETH is a coin of ethereum, not of bsc'],
    [[wallet, '--since', '2026-01-31T00:00:00Z', '--until', '2026-01-30T00:00:00Z'], 2, '--since is after --until'],
    [[wallet, '--since', 'yesterday'], 2, 'It must be a time such as'],
    [[wallet, '--method', 'guess'], 2, 'Allowed choices are poison, haircut, fifo'],
  ])('%j ends with %i and says why', async (args, code, said) => {
    const ended = await workspace.run('trace', ...args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(said);
  });
});
