import type { LabelRow } from '@weir/chain-import';
import { address, label, recordsOf, transfer, txid } from '@weir/chain-store/testing';
import { systemClock } from '@weir/clock';
import { loadConfig } from '@weir/service-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { riskApiSchema } from './config.ts';
import { importChainRecords, loadLabels, loadTransfers, type RiskApiSettings } from './index.ts';
import { startInstance, get, type Instance, type TestService } from './testing/instance.ts';

let service: TestService;
let instance: Instance;
beforeAll(async () => {
  ({ service, instance } = await startInstance({ settings: { workers: 0 } }));
});
afterAll(() => service.stop());

const warningsOf = async (of: Instance): Promise<string[]> => {
  const { status, body } = await get(`${of.url}/readyz`);
  expect([status, body.status]).toEqual([200, 'ready']);
  return body.warnings ?? [];
};
const metricsOf = async (of: Instance): Promise<string[]> =>
  (await (await fetch(`${of.url}/metrics`)).text()).split('\n').filter((line) => line.startsWith('weir_chain_data_'));
const importLabels = (key: string, rows: readonly LabelRow[]) =>
  importChainRecords(service.database.pool, {
    kind: 'labels',
    key,
    name: key,
    clock: systemClock,
    read: (after) => recordsOf(rows, after),
    onRejected: () => undefined,
  });
const now = new Date().toISOString();

describe('readiness and metrics say', () => {
  it('that there is nothing at all', async () => {
    expect(await warningsOf(instance)).toEqual([expect.stringMatching(/^chain data is empty: there are no labels and no transfers/)]);
    expect(await metricsOf(instance)).toEqual(['weir_chain_data_problems{chain="all",problem="empty"} 1']);
  });

  it('that transfers are old, and that a chain with transfers has no labels', async () => {
    const old = { ...transfer, time: new Date(Date.now() - 3 * 86_400_000).toISOString() };
    await loadTransfers(service.database.pool, [old, old, { ...old, txid: txid(2) }]);
    expect(await warningsOf(instance)).toEqual([
      'chain data has no labels of ethereum',
      'transfers are stale, the newest: ethereum 3 days ago',
    ]);
    const metrics = await metricsOf(instance);
    expect(metrics).toEqual(
      expect.arrayContaining([
        'weir_chain_data_problems{chain="all",problem="empty"} 0',
        'weir_chain_data_problems{chain="ethereum",problem="no_labels"} 1',
        'weir_chain_data_problems{chain="ethereum",problem="stale_transfers"} 1',
        'weir_chain_data_labels{chain="ethereum"} 0',
        'weir_chain_data_transfers{chain="ethereum"} 2',
        expect.stringMatching(/^weir_chain_data_transfers_age_seconds\{chain="ethereum"\} 2592\d\d/),
      ]),
    );
  });

  it('nothing once there are labels and a recent transfer; a chain with labels alone may be meant so', async () => {
    await loadTransfers(service.database.pool, [{ ...transfer, txid: txid(3), time: now }]);
    await loadLabels(service.database.pool, [label, label, { ...label, chain: 'polygon' }]);
    expect(await warningsOf(instance)).toEqual([]);
    expect(await metricsOf(instance)).toEqual(
      expect.arrayContaining(['weir_chain_data_labels{chain="ethereum"} 1', 'weir_chain_data_transfers{chain="ethereum"} 3']),
    );
  });

  it('no age of the transfers of a chain without transfers', async () => {
    const ofPolygon = (await metricsOf(instance)).filter((line) => line.includes('polygon'));
    expect(ofPolygon).toEqual([
      'weir_chain_data_labels{chain="polygon"} 1',
      'weir_chain_data_transfers{chain="polygon"} 0',
      expect.stringMatching(/^weir_chain_data_labels_age_seconds/),
    ]);
  });

  it('which chains that must be there are not', async () => {
    const strict = await service.start({ settings: { workers: 0, requiredChains: 'ethereum,polygon,tron' } });
    expect(await warningsOf(strict)).toEqual(['chain data has no labels of tron', 'chain data has no transfers of polygon, tron']);
    await strict.stop();
  });

  it('that labels are old, until the same file is imported again', async () => {
    const rows = [{ ...label, chain: 'base', address: address(7) }];
    await importLabels('a list', rows);
    const longAgo = `UPDATE chain.chain_data SET labels_imported_at = now() - interval '8 days' WHERE chain = 'base'`;
    await service.database.pool.query(longAgo);
    expect(await warningsOf(instance)).toEqual(['labels are stale, last imported: base 8 days ago']);
    expect((await importLabels('a list', rows)).finishedAt).not.toBeNull();
    expect(await warningsOf(instance)).toEqual([]);
  });
});

it('a followed chain is told with its lag, and with a warning while it is behind', async () => {
  const { pool } = service.database;
  const answer = async () => (await get(`${instance.url}/readyz`)).body;
  const followed = async (caughtUp: string): Promise<void> => {
    await pool.query(
      `INSERT INTO chain.followed (chain, first_block, height, head, block_at, caught_up_at)
       VALUES ('bnb', 1, 100, 115, now() - interval '90 seconds', ${caughtUp})
       ON CONFLICT (chain) DO UPDATE SET caught_up_at = excluded.caught_up_at`,
    );
  };
  expect(await answer()).not.toHaveProperty('chains');
  await followed('NULL');
  expect((await answer()).warnings).toEqual(['followed chains are behind their nodes, caught up last: bnb never']);
  await followed(`now() - interval '10 minutes'`);
  const behind = await answer();
  expect(behind).toMatchObject({
    status: 'ready',
    warnings: ['followed chains are behind their nodes, caught up last: bnb 10 minutes ago'],
    chains: [{ chain: 'bnb', lag_blocks: 15 }],
  });
  expect(behind.chains[0].lag_seconds).toBeGreaterThanOrEqual(90);
  expect(behind.chains[0].behind_seconds).toBeGreaterThanOrEqual(600);
  expect(await metricsOf(instance)).toContain('weir_chain_data_problems{chain="bnb",problem="behind"} 1');
  await followed('now()');
  expect(await answer()).toMatchObject({ chains: [{ chain: 'bnb', lag_blocks: 15 }] });
  expect(await warningsOf(instance)).toEqual([]);
  await pool.query('DELETE FROM chain.followed');
});

it.each(['doge', 'ethereum,', 'tron,tron'])('a list of chains cannot be %j', (requiredChains) => {
  expect(() => loadConfig<RiskApiSettings>(riskApiSchema as never, {}, { requiredChains })).toThrow('WEIR_REQUIRED_CHAINS is wrong');
});
