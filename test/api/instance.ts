import { systemClock } from '@weir/clock';
import { createTestDatabase, startTestServer } from '@weir/postgres/testing';
import { createApiKey, createRiskApi, defaultSettings, loadLabels, loadTransfers } from '@weir/risk-api';
import { sampleLabels, sampleTransfers } from '@weir/sample';
import { createLogger, serve } from '@weir/service-kit';
import { countRequests } from './requests.ts';

export interface Checked {
  readonly url: string;
  readonly keys: { readonly standard: string; readonly sandbox: string };
  readonly subjects: readonly Readonly<Record<string, string>>[];
  label(address: string): Promise<void>;
  requests(): ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export async function startChecked(): Promise<Checked> {
  const stopServer = await startTestServer();
  const database = await createTestDatabase();
  const { pool } = database;
  const logger = createLogger({ service: 'risk-api', level: 'error' });
  const facilitator = await standIn();
  const x402 = { x402PayToEvm: '0x00000000000000000000000000000000000000aa', x402FacilitatorUrl: facilitator.url };
  const settings = { ...defaultSettings, ...x402 };
  const api = await createRiskApi({ pool, clock: systemClock, logger, settings });
  await loadLabels(pool, sampleLabels());
  await loadTransfers(pool, sampleTransfers());
  const unlimited = { perSecond: null, perDay: null, name: 'check' };
  const keys = {
    standard: await createApiKey(pool, { ...unlimited, surface: 'standard' }),
    sandbox: await createApiKey(pool, { ...unlimited, surface: 'sandbox' }),
  };
  const counted = countRequests(api.app);
  const server = await serve(counted, { host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${server.port}`,
    keys,
    subjects: await subjectsOf(),
    label: async (address) => {
      const label = { chain: 'ethereum', name: 'Check', category: 'ordinary', source: 'check', confidence: 1 };
      await loadLabels(pool, [{ ...label, address, valid_from: null, valid_to: null }]);
    },
    requests: counted.requests,
    stop: async () => {
      await server.close(500);
      await api.stop();
      await facilitator.close();
      await database.drop();
      await stopServer();
    },
  };
}

/** A facilitator without payments, so that paid calls answer 402. */
async function standIn(): Promise<{ url: string; close(): Promise<void> }> {
  const kinds = [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }];
  const server = await serve({ fetch: () => Response.json({ kinds }) }, { host: '127.0.0.1', port: 0 });
  return { url: `http://127.0.0.1:${server.port}`, close: () => server.close(500) };
}

async function subjectsOf(): Promise<Record<string, string>[]> {
  const subjects: Record<string, string>[] = [{ coin: 'ETH', address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96' }];
  for (const wanted of ['ethereum', 'tron', 'bitcoin']) {
    for await (const { chain, coin, txid, to_address } of sampleTransfers()) {
      if (chain !== wanted) continue;
      subjects.push({ coin, address: to_address }, ...(txid === null ? [] : [{ coin, txid }]));
      break;
    }
  }
  return subjects;
}
