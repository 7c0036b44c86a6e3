import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishedLists, type PublishedList } from '@weir/chain-import';
import { type ListServer, sampleList, startListServer } from '@weir/chain-import/testing';
import { readLabelLists } from '@weir/chain-store';
import { evmChains as chainsOfEvm } from '@weir/chains';
import { type Clock, systemClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { createLogger } from '@weir/service-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRiskDatabase } from '../testing/database.ts';
import { startInstance } from '../testing/instance.ts';
import { keepListsFresh, lookMs, whileLocked } from './keep-fresh.ts';
import { readListHealth } from './metrics.ts';
import { defaultListSettings, listNamed, listSchema } from './settings.ts';
import { syncList, type SyncListOptions } from './sync-list.ts';

const intervalMs = 3_600_000;
/** A listing of Ethereum is labelled on each chain with such addresses. */
const evmChains = chainsOfEvm.length;
const sdn = readFileSync(sampleList('sdn_advanced.xml'), 'utf8');
const lazarus = '0x098b716b8aaf21512996dc57eb0615e2383e2f96';
/** Ten entities, each with an address. */
const larger = (without: number): string => listOf(Array.from({ length: 10 }, (_, n) => n).filter((n) => n >= without));

let database: TestDatabase;
let server: ListServer;
beforeAll(async () => {
  [database, server] = await Promise.all([createRiskDatabase(), startListServer()]);
});
afterAll(async () => {
  await Promise.all([database.drop(), server.stop()]);
});
beforeEach(async () => {
  await database.pool.query('TRUNCATE chain.labels, chain.import_runs, chain.label_lists, chain.chain_data');
});

const ofacSdn = (): PublishedList => ({ ...listNamed('ofac-sdn'), url: server.url });
const sync = (list = ofacSdn(), options: Partial<SyncListOptions> = {}) =>
  syncList(list, { pool: database.pool, clock: systemClock, intervalMs, onRejected: () => undefined, ...options });
const holding = async (): Promise<string[]> => {
  const { rows } = await database.pool.query<{ address: string }>(
    'SELECT DISTINCT address FROM chain.labels WHERE valid_to IS NULL ORDER BY address',
  );
  return rows.map(({ address }) => address);
};
const stateOf = async (name = 'ofac-sdn') => (await readLabelLists(database.pool, [name]))[0];

/** SDN.XML has one address for each entity. */
const xmlList = (): PublishedList => ({ ...ofacSdn(), format: 'ofac-xml' });
function listOf(numbers: readonly number[]): string {
  const entries = numbers.map(
    (n) =>
      `<sdnEntry><uid>${n}</uid><lastName>ENTITY ${n}</lastName><idList><id><idType>Digital Currency Address - ETH</idType><idNumber>0x${String(n).repeat(40)}</idNumber></id></idList></sdnEntry>`,
  );
  return `<sdnList>${entries.join('')}</sdnList>`;
}

describe('a published list', () => {
  it('is taken over once; afterwards the publisher is asked only for a change', async () => {
    server.publish(sdn, '"1"');
    expect(await sync()).toMatchObject({ outcome: 'changed', addresses: 3, unknown: { XMR: 1 }, run: { rejected: 1 } });
    expect(await holding()).toContain(lazarus);
    await database.pool.query(`UPDATE chain.chain_data SET labels_imported_at = '2020-01-01'`);
    expect(await sync()).toMatchObject({ outcome: 'unchanged', addresses: 3 });
    expect(server.requests.at(-1)).toMatchObject({ 'if-none-match': '"1"' });
    const { rows } = await database.pool.query(`SELECT min(labels_imported_at) > '2026-01-01' AS fresh FROM chain.chain_data`);
    expect(rows).toEqual([{ fresh: true }]);
    expect(await stateOf()).toMatchObject({ etag: '"1"', labels: 3, failures: 0, is_imported: true });
  });

  it('whose publisher ignores the ETag is compared by its hash', async () => {
    server.answer((_, response) => response.end(sdn));
    expect((await sync()).outcome).toBe('changed');
    expect((await sync()).outcome).toBe('unchanged');
  });

  it('that changed gets its new entries, and the labels of those that left it end', async () => {
    server.publish(larger(0), '"1"');
    await sync(xmlList());
    server.publish(larger(2), '"2"');
    expect((await sync(xmlList())).run.ended).toBe(2 * evmChains);
    expect(await holding()).toHaveLength(8);
    server.publish(larger(1), '"3"');
    await sync(xmlList());
    expect(await holding()).toHaveLength(9);
  });

  it('that returns to an earlier file is taken over again', async () => {
    server.publish(larger(0), '"1"');
    await sync(xmlList());
    server.publish(larger(1), '"2"');
    await sync(xmlList());
    server.publish(larger(0), '"1"');
    expect((await sync(xmlList())).outcome).toBe('changed');
    expect(await holding()).toHaveLength(10);
  });

  it('is fetched again after its import was taken back', async () => {
    server.publish(sdn, '"1"');
    await sync();
    await database.pool.query('DELETE FROM chain.labels; DELETE FROM chain.import_runs');
    expect((await sync()).outcome).toBe('changed');
    expect(await holding()).toContain(lazarus);
  });

  it('is read from a file, which may have to have a hash', async () => {
    const file = sampleList('sdn_advanced.xml');
    const wrong = sync(ofacSdn(), { file, sha256: '0'.repeat(64) });
    await expect(wrong).rejects.toMatchObject({ code: 'HASH', retriable: false });
    expect(await holding()).toEqual([]);
    const { sha256 } = await sync(ofacSdn(), { file });
    expect((await sync(ofacSdn(), { file, sha256: sha256.toUpperCase() })).outcome).toBe('unchanged');
  });

  it('that was stopped while it was fetched or stored goes on with the next check', async () => {
    for (const stoppedWhile of ['fetched', 'stored']) {
      const stop = new AbortController();
      server.answer((_, response) => {
        if (stoppedWhile === 'fetched') stop.abort();
        response.end(sdn);
      });
      await expect(sync(ofacSdn(), { signal: stop.signal, onRejected: () => stop.abort() })).rejects.toThrow();
      expect(await stateOf()).toMatchObject({ failures: 0, checked_at: null });
    }
    expect((await sync()).outcome).toBe('changed');
    expect(await holding()).toHaveLength(3);
    expect((await sync()).outcome).toBe('unchanged');
  });
});

describe('no label ends when', () => {
  beforeEach(async () => {
    server.publish(larger(0), '"1"');
    await sync(xmlList());
  });
  afterEach(async () => {
    expect(await holding()).toHaveLength(10);
    expect(await stateOf()).toMatchObject({ failures: 1, error: expect.stringMatching(/^[A-Z_]+: /), etag: '"1"' });
  });

  it.each<[string, string, string]>([
    ['a page comes as XML', '<html><body>Maintenance</body></html>', 'NOT_THE_LIST'],
    ['the file is cut at a record', larger(0).slice(0, -'</sdnList>'.length), 'NOT_THE_LIST'],
    ['the list is empty', '<sdnList></sdnList>', 'NO_ADDRESSES'],
    ['the list has lost more than a fifth', larger(3), 'SHRUNKEN'],
    ['another list comes', readFileSync(sampleList('un.xml'), 'utf8'), 'NOT_THE_LIST'],
  ])('%s', async (_, content, code) => {
    server.publish(content, '"2"');
    await expect(sync(xmlList())).rejects.toMatchObject({ code });
  });

  it('the file is too large', async () => {
    server.publish(larger(0), '"2"');
    await expect(sync(xmlList(), { limits: { largestBytes: 100 } })).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });
});

it('a list that a person confirms may shrink', async () => {
  server.publish(larger(0), '"1"');
  await sync(xmlList());
  server.publish(larger(5), '"2"');
  await sync(xmlList(), { allowRemovals: 5 * evmChains });
  expect(await holding()).toHaveLength(5);
});

it('a list without a field for addresses may have none', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'weir-un-')), 'un.xml');
  writeFileSync(file, '<CONSOLIDATED_LIST><INDIVIDUALS/></CONSOLIDATED_LIST>');
  expect(await sync(listNamed('un'), { file })).toMatchObject({ outcome: 'changed', addresses: 0 });
  rmSync(file);
});

it('no file is left behind', async () => {
  const leftBehind = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('weir-list-'));
  const before = leftBehind();
  server.publish(sdn, '"1"');
  await sync();
  server.publish('<html/>', '"2"');
  await expect(sync()).rejects.toThrow();
  expect(leftBehind().filter((name) => !before.includes(name))).toEqual([]);
});

describe('enabled lists', () => {
  const settings = { ...defaultListSettings, lists: 'ofac-sdn', listIntervalMs: intervalMs };
  const lines: string[] = [];
  const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => void lines.push(line) } });
  let nowMs = Date.parse('2026-05-01T00:00:00Z');
  /** Runs the schedule until its first pause, which ends it. */
  async function tick(): Promise<void> {
    const stop = new AbortController();
    const sleep: Clock['sleep'] = async (ms, signal) => (ms === lookMs ? stop.abort() : systemClock.sleep(ms, signal));
    const clock = { now: () => nowMs, monotonic: () => nowMs, sleep };
    const listUrls = `ofac-sdn=${server.url}`;
    await keepListsFresh({ pool: database.pool, clock, logger, settings: { ...settings, listUrls }, signal: stop.signal });
  }

  it('are checked when they are due, sooner after a failure, and tell their age', async () => {
    const health = async () => (await readListHealth(database.pool, settings, { now: nowMs, since: 0 }))[0];
    server.answer((_, response) => response.writeHead(503).end());
    const asked = server.requests.length;
    await tick();
    expect(await health()).toMatchObject({
      ageMs: 0,
      isChecked: false,
      failures: 1,
      error: 'STATUS: the publisher answered with status 503',
    });
    await tick();
    expect(server.requests.length).toBe(asked + 1);
    nowMs += 300_000;
    await tick();
    expect(await health()).toMatchObject({ ageMs: 300_000, isChecked: false, failures: 2, isStale: false });
    server.publish(sdn, '"1"');
    nowMs += 600_000;
    await tick();
    expect(await health()).toMatchObject({ ageMs: 0, isChecked: true, failures: 0, error: null });
    nowMs += defaultListSettings.listMaxAgeMs + 1;
    expect(await health()).toMatchObject({ isStale: true });
    expect(lines.join('')).toContain('an address of a published list was rejected');
  });

  it('are checked by one process at a time', async () => {
    server.publish(sdn, '"1"');
    const asked = server.requests.length;
    await whileLocked(database.openPool(), () => tick());
    expect(server.requests.length).toBe(asked);
    await Promise.all([tick(), tick()]);
    expect(server.requests.length).toBe(asked + 1);
  });

  it('are none by default: nothing is fetched', async () => {
    const quiet = { ...defaultListSettings, listUrls: `ofac-sdn=${server.url}` };
    const asked = server.requests.length;
    await keepListsFresh({ pool: database.pool, clock: systemClock, logger, settings: quiet, signal: new AbortController().signal });
    expect(server.requests.length).toBe(asked);
    expect(await readListHealth(database.pool, defaultListSettings, { now: 0, since: 0 })).toEqual([]);
  });
});

it('metrics tell the age of each enabled list to a service that may not write labels', async () => {
  const { service, instance } = await startInstance({ settings: { workers: 0, lists: 'ofac-sdn,un' } });
  try {
    server.answer((_, response) => response.writeHead(503).end());
    const failing = syncList(ofacSdn(), { pool: service.database.pool, clock: systemClock, intervalMs, onRejected: () => undefined });
    await expect(failing).rejects.toMatchObject({ code: 'STATUS' });
    const metrics = (await (await fetch(`${instance.url}/metrics`)).text())
      .split('\n')
      .filter((line) => line.startsWith('weir_label_list_'));
    expect(metrics).toEqual([
      expect.stringMatching(/^weir_label_list_age_seconds\{list="ofac-sdn"\} \d/),
      expect.stringMatching(/^weir_label_list_age_seconds\{list="un"\} \d/),
      'weir_label_list_stale{list="ofac-sdn"} 0',
      'weir_label_list_stale{list="un"} 0',
      'weir_label_list_failures{list="ofac-sdn"} 1',
      'weir_label_list_failures{list="un"} 0',
    ]);
  } finally {
    await service.stop();
  }
});

describe('settings of lists', () => {
  it.each<[keyof Pick<typeof listSchema, 'lists' | 'listUrls'>, string]>([
    ['lists', 'ofac'],
    ['lists', 'uk,uk'],
    ['listUrls', 'uk=http://example.org/list.xml'],
    ['listUrls', 'nobody=https://example.org/list.xml'],
  ])('%s: %s is refused', (name, value) => {
    expect(() => listSchema[name].format(value)).toThrow();
  });

  it('name a mirror, whose address may have commas; every publisher has https', () => {
    expect(() => listSchema.lists.format('ofac-sdn, eu')).not.toThrow();
    expect(() => listSchema.listUrls.format('uk=https://example.org/a,b?c=1,eu=http://127.0.0.1:1/x')).not.toThrow();
    expect(publishedLists.filter(({ url }) => !url.startsWith('https://'))).toEqual([]);
  });
});
