import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { address, label, transfer, txid } from '@weir/chain-store/testing';
import { readCoin } from '@weir/chains';
import { loadLabels, loadTransfers } from '@weir/risk-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInstance, type TestService } from '../../services/risk-api/src/testing/instance.ts';
import { type Api, type Mcp, runSkill, startMcp } from './programs.ts';

let service: TestService;
let api: Api;
let mcp: Mcp;
const [thief, user, exchange, stranger] = [address(101), address(102), address(103), address(104)];
beforeAll(async () => {
  const started = await startInstance({ settings: { publicUrl: 'https://risk.example' }, keys: { standard: { surface: 'standard' } } });
  ({ service } = started);
  api = { url: started.instance.url, apiKey: started.keys.standard };
  await loadLabels(service.database.pool, [
    { ...label, address: thief, category: 'theft', name: 'Heist', confidence: 1 },
    { ...label, address: exchange, category: 'exchange', name: 'Bourse', confidence: 1 },
  ]);
  await loadTransfers(service.database.pool, [
    { ...transfer, txid: txid(1), from_address: thief, to_address: user },
    { ...transfer, txid: txid(2), from_address: user, to_address: exchange },
  ]);
  mcp = await startMcp(api);
});
afterAll(async () => {
  mcp.stop();
  await service.stop();
});

describe('misttrack-skills', () => {
  it('risk_check.py prints the score of an address with its labels', async () => {
    const { code, out } = await runSkill(api, 'risk_check', '--address', thief, '--coin', 'ETH', '--with-labels');
    expect(code).toBe(0);
    expect(out).toContain('Severe');
    expect(out).toContain('Heist');
    expect(out).toContain('https://risk.example/v1/risk_report?');
  });

  it.each([
    ['deposit', 'Heist'],
    ['withdraw', ''],
  ])('risk_check.py scores the %s side of a transaction', async (direction, entity) => {
    const { code, out } = await runSkill(api, 'risk_check', '--txid', txid(1), '--coin', 'ETH', '--direction', direction, '--json');
    expect(code).toBe(0);
    const { success, data } = JSON.parse(out.slice(out.indexOf('{'))) as { success: boolean; data: { address_label: string } };
    expect([success, data.address_label]).toEqual([true, entity]);
  });

  it('address_investigation.py fills all six parts, and prints them', async () => {
    const asked = ['--address', user, '--coin', 'ETH'];
    const { out } = await runSkill(api, 'address_investigation', ...asked, '--json');
    const report = JSON.parse(out.slice(out.indexOf('{'))) as Record<string, object>;
    expect(Object.values(report).filter((part) => 'error' in Object(part))).toEqual([]);
    expect(report).toMatchObject({
      labels: { label_type: '' },
      overview: { txs_count: 2, received_txs_count: 1 },
      risk_score: { risk_level: 'Severe' },
      address_trace: { first_address: 'Heist', use_platform: { exchange: { count: 1, exchange_list: ['Bourse'] } } },
      transactions: { in: [{ label: 'Heist' }], out: [{ label: 'Bourse' }] },
      counterparty: [{ percent: expect.any(Number) }, {}],
    });
    const printed = await runSkill(api, 'address_investigation', ...asked);
    expect([printed.code, printed.out.includes('EXCHANGE (1): Bourse')]).toEqual([0, true]);
  });

  it('batch_risk_check.py follows the tasks of several addresses', async () => {
    const { code, out } = await runSkill(
      api,
      'batch_risk_check',
      '--addresses',
      `${thief},${exchange}`,
      '--coin',
      'ETH',
      '--json',
      '--quiet',
    );
    expect(code).toBe(0);
    expect(JSON.parse(out.slice(out.lastIndexOf('\n[')))).toMatchObject([
      { address: thief, risk_level: 'Severe', score: expect.any(Number) },
      { address: exchange, risk_level: 'Low', score: expect.any(Number) },
    ]);
  });

  it.each([
    ['eth', thief, 2, 'BLOCK'],
    ['ERC20', exchange, 0, 'ALLOW'],
    ['ARBI', stranger, 0, 'ALLOW'],
    ['USDT-Avalanche C-Chain', stranger, 0, 'ALLOW'],
    ['zksync era', stranger, 0, 'ALLOW'],
  ])('transfer_security_check.py on %s of %s exits with %i', async (chain, to, exit, decision) => {
    const { code, out } = await runSkill(api, 'transfer_security_check', '--address', to, '--chain', chain, '--json');
    expect([code, (JSON.parse(out) as { decision: string }).decision]).toEqual([exit, decision]);
  });

  it('each coin that transfer_security_check.py sends is one of ours', () => {
    const script = readFileSync(join(import.meta.dirname, 'misttrack-skills', 'scripts', 'transfer_security_check.py'), 'utf8');
    const table = script.slice(script.indexOf('CHAIN_TO_COIN: dict'), script.indexOf('UNSUPPORTED_CHAINS: dict'));
    const coins = [...new Set([...table.matchAll(/": "([^"]+)",/g)].map(([, coin = '']) => coin))];
    expect(coins.length).toBeGreaterThan(12);
    expect(coins.filter((coin) => readCoin(coin) === undefined)).toEqual([]);
  });

  it('a wrong key is an error of the API, not a level', async () => {
    const { code } = await runSkill({ ...api, apiKey: 'wrong' }, 'risk_check', '--address', thief, '--coin', 'ETH');
    expect(code).toBe(1);
  });
});

describe('MistTrackMCP', () => {
  const eth = (of: string) => ({ coin: 'ETH', address: of });
  it.each([
    ['get_address_labels', thief, 'Heist'],
    ['get_address_overview', user, 'Total Transactions: 2'],
    ['get_address_action', user, 'Exchange: 1 transactions (100%)'],
    ['get_address_counterparty', user, 'Bourse'],
    ['get_address_trace', user, '- Exchanges: 1'],
    ['check_malicious_funds', user, 'Theft events: 1'],
    ['get_risk_score', thief, 'Risk Level: High Risk'],
    ['get_risk_score', exchange, 'Risk Level: Low Risk'],
    ['analyze_transactions_recursive', user, 'Heist'],
  ])('%s of %s reads %s', async (tool, of, text) => {
    expect(await mcp.call(tool, eth(of))).toContain(text);
  });

  it.each([stranger, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf'])(
    'each coin that it recommends for %s is one of ours',
    async (of) => {
      const { recommended_coins } = JSON.parse(await mcp.call('detect_address_chain', { address: of })) as { recommended_coins: string[] };
      expect(recommended_coins.length).toBeGreaterThan(0);
      expect(recommended_coins.filter((coin) => readCoin(coin) === undefined)).toEqual([]);
    },
  );

  it('an unknown coin is a failed request', async () => {
    expect(await mcp.call('get_address_labels', { coin: 'NOCOIN', address: user })).toContain('API request failed');
  });
});
