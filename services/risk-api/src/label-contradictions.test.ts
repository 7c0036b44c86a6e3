import { createRiskStore } from '@weir/chain-store';
import { label } from '@weir/chain-store/testing';
import { systemClock } from '@weir/clock';
import { createLogger } from '@weir/service-kit';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { loadLabels } from './index.ts';
import { createContradictionMetrics } from './label-contradictions.ts';
import { get, post, resultOf, startInstance } from './testing/instance.ts';

const exchange = { ...label, valid_from: null, category: 'exchange', name: 'Binance' };
const crawl = { ...label, valid_from: null, category: 'theft', source: 'a crawl', source_kind: 'crawl' as const };

it('an exchange that one crawl accuses is answered with the contradiction, counted, named in the log and in the report', async () => {
  const { service, instance, keys } = await startInstance({ keys: { own: { surface: 'standard', perSecond: 100 } } });
  const { pool } = service.database;
  await loadLabels(pool, [{ ...exchange, source: 'one' }, { ...exchange, source: 'two' }, crawl]);
  const asked = await post(`${instance.url}/v3/risk_score_create_task`, { coin: 'ETH', address: label.address, api_key: keys.own });
  const { data } = await resultOf(instance.url, keys.own, asked.body.data.task_id);
  expect(data).toMatchObject({
    score: 31,
    risk_level: 'Moderate',
    address_label: 'Binance',
    contradictions: [
      {
        standing: 'service',
        service: { probability: 0.9216, categories: ['exchange'], sources: ['one', 'two'] },
        accusation: { probability: 0.36, categories: ['theft'], sources: ['a crawl'] },
      },
    ],
  });
  const lines: string[] = [];
  const registry = new Registry();
  const logger = createLogger({ service: 'risk-api', level: 'warn', destination: { write: (line: string) => void lines.push(line) } });
  const metrics = createContradictionMetrics({ db: pool, store: createRiskStore(pool), clock: systemClock, logger, registry });
  await metrics.measure();
  await metrics.measure();
  expect((await registry.metrics()).split('\n').filter((line) => line.startsWith('weir_label'))).toEqual([
    'weir_label_contradictions{standing="service"} 1',
    'weir_label_contradictions{standing="accusation"} 0',
  ]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ count: 1, addresses: [`ethereum ${label.address}`] }]);
  expect((await get(`${instance.url}/v1/address_labels`, { coin: 'ETH', address: label.address, api_key: keys.own })).body.data).toEqual({
    label_list: ['Binance', 'Someone', 'Exchange'],
    label_type: 'exchange',
  });
  await service.stop();
});
