import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ofData, publicFile, startFakeNode } from '@weir/chain-import/testing';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ended, makeFolder, startWeir, weir } from '../testing/weir.ts';

const blocks = (name: string): string => publicFile('transfers', 'eth_blocks_17173049_17173050', name);
const folder = makeFolder();
const cwd = folder.path;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  // Creates the tables.
  expect(await run('labels', 'list')).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await database.drop();
  folder.remove();
});
beforeEach(async () => {
  await database.pool.query('TRUNCATE chain.labels, chain.transfers, chain.edges, chain.sides, chain.address_stats, chain.import_runs');
});

const run = (...args: readonly string[]): Promise<Ended> => weir(args, { env: { DATABASE_URL: database.url }, cwd });
const write = (name: string, text: string): string => {
  writeFileSync(join(cwd, name), text);
  return name;
};
const rejectedIn = (file: string): { number: number; reason: string; text: string }[] =>
  readFileSync(join(cwd, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const stored = async (): Promise<unknown> => {
  const { rows } = await database.pool.query(
    `SELECT (SELECT json_agg(t ORDER BY t::text) FROM chain.transfers t) AS transfers, (SELECT json_agg(e ORDER BY e::text) FROM chain.edges e) AS edges,
       (SELECT json_agg(s ORDER BY s::text) FROM chain.address_stats s) AS stats`,
  );
  return rows[0];
};

const a = `0x${'a'.repeat(40)}`;
const b = `0x${'b'.repeat(40)}`;

describe('weir labels', () => {
  test('are imported once; what cannot be used goes to a file, and the exit code tells it', async () => {
    const file = publicFile('labels', 'ofac.csv');
    const first = await run('labels', 'import', file, '--format', 'ofac');
    expect(first).toMatchObject({ code: 1, stdout: '' });
    const [records, fresh, refused] = ofData({ whole: [1052, 4132, 24], small: [182, 1380, 2] });
    expect(first.stderr).toMatch(
      new RegExp(`^ofac\\.csv: ${records} records; ${fresh} new, 0 known already, ${refused} rejected; \\d+\\.\\d s, \\d+ rows/s\\.\n`),
    );
    const rejected = rejectedIn('ofac.csv.rejected.jsonl');
    expect(rejected).toHaveLength(refused ?? 0);
    expect(rejected[0]).toMatchObject({
      number: 2,
      reason: 'address is no address of bitcoin',
      text: expect.stringContaining('bc1qe7cjq79qw8nf7zc6'),
    });
    const again = await run('labels', 'import', file, '--format', 'ofac');
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(
      new RegExp(
        `^ofac\\.csv: imported before, on 20\\S+Z \\(${fresh} new, 0 known already, ${refused} rejected\\)\\. Nothing was changed\\.\n$`,
      ),
    );
    expect(rejectedIn('ofac.csv.rejected.jsonl')).toEqual(rejected);
  });

  test('are listed by address and source, as a table, JSON and the CSV that can be imported', async () => {
    const csv = write(
      'labels.csv',
      `chain,address,name,category,valid_from,valid_to,confidence,source\nETH,${a},"A ""thief"", perhaps",theft,2024-01-02,,0.4,me\nbsc,${a},Shop,service,,,1,you\n`,
    );
    expect((await run('labels', 'import', csv, '--format', 'csv', '--source-kind', 'owner')).code).toBe(0);
    expect(existsSync(join(cwd, 'labels.csv.rejected.jsonl'))).toBe(false);
    const shown = await run('labels', 'list', '--address', a.toUpperCase().replace('0X', '0x'));
    expect(shown.stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 5))).toEqual([
      ['CHAIN', 'ADDRESS', 'CATEGORY', 'NAME', 'FROM'],
      ['bsc', expect.stringMatching(/^0xa+$/i), 'service', 'Shop', '1'],
      ['ethereum', expect.stringMatching(/^0xa+$/i), 'theft', 'A "thief", perhaps', '2024-01-02'],
      [''],
    ]);
    const listed = await run('labels', 'list', '--limit', '1', '--format', 'json');
    expect(listed.stderr).toBe('There are more; --limit 1 ends here.\n');
    expect(JSON.parse(listed.stdout)).toEqual([
      expect.objectContaining({
        chain: 'bsc',
        valid_from: null,
        valid_to: null,
        confidence: 1,
        source: 'you',
        source_kind: 'owner',
        authority: null,
      }),
    ]);
    const again = write('again.csv', (await run('labels', 'list', '--source', 'me', '--format', 'csv')).stdout);
    expect((await run('labels', 'import', again, '--format', 'csv')).stderr).toContain('0 new, 1 known already, 0 rejected');
  });

  test('whose names a spreadsheet takes for formulas are neutralised in CSV, and come back as they were', async () => {
    const names = ['=cmd|calc', '+1', '-x', '@y', "'=own"];
    const csv = write(
      'formulas.csv',
      `chain,address,name,category,source\n${names.map((name, at) => `ETH,0x${String(at + 1).repeat(40)},${name.startsWith("'") ? `'${name}` : name},service,me\n`).join('')}`,
    );
    expect((await run('labels', 'import', csv, '--format', 'csv')).code).toBe(0);
    const listed = (await run('labels', 'list', '--format', 'csv')).stdout;
    expect(
      listed
        .split('\r\n')
        .slice(1, -1)
        .map((line) => line.split(',')[2]),
    ).toEqual(names.map((name) => `'${name}`));
    const again = write('formulas-again.csv', listed);
    expect((await run('labels', 'import', again, '--format', 'csv')).stderr).toContain('0 new, 5 known already, 0 rejected');
  });

  test('may come from several files at once, with what holds for all', async () => {
    const packs = ['p1.yaml', 'p2.yaml'].map((name, at) =>
      write(name, `title: ${name}\ncurrency: ETH\ncategory: exchange\ntags:\n  - address: 0x${String(at + 1).repeat(40)}\n    label: X\n`),
    );
    const { code, stdout } = await run('labels', 'import', ...packs, '--format', 'tagpack', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(
      packs.map((name) => expect.objectContaining({ name, records: 1, new: 1, rejected: 0, rejected_file: null, done_before: false })),
    );
    const defillama = ['labels', 'import', publicFile('labels', 'defillama_cex.csv'), '--format', 'csv', '--columns', 'name=entity'];
    const other = await run(...defillama, '--category', 'exchange', '--source', 'DefiLlama', '--rejected', 'elsewhere.jsonl');
    expect(other.stderr).toContain(
      ofData({
        whole: '5648 records; 4259 new, 0 known already, 1389 rejected',
        small: '88 records; 87 new, 0 known already, 1 rejected',
      }),
    );
    expect(rejectedIn('elsewhere.jsonl')).toHaveLength(ofData({ whole: 1389, small: 1 }));
  });
});

describe('weir transfers', () => {
  const etl = ['--format', 'ethereum-etl', '--chain', 'ethereum'];
  const { transactions, ofNoValue, failed, tokenRecords, tokens, logs } = ofData({
    whole: { transactions: 298, ofNoValue: 162, failed: 9, tokenRecords: 291, tokens: 288, logs: 681 },
    small: { transactions: 206, ofNoValue: 77, failed: 2, tokenRecords: 153, tokens: 152, logs: 154 },
  });

  test('of one block from its logs, its transfers and twice are the same', async () => {
    const first = await run('transfers', 'import', blocks('transactions.json'), blocks('token_transfers.json'), ...etl);
    expect(first.stderr).toContain(`transactions.json: ${transactions} records; 127 new, 0 known already, 0 rejected`);
    expect(first.stderr).toContain(`  Left out: ${ofNoValue} of no value, ${failed} failed.\n`);
    expect(first.stderr).toContain(`token_transfers.json: ${tokenRecords} records; ${tokens} new, 0 known already, 0 rejected`);
    expect(first.code).toBe(0);
    const before = await stored();
    const files = [blocks('transactions.csv'), blocks('logs.json'), blocks('logs.json')];
    const again = await run('transfers', 'import', ...files, ...etl, '--receipts', blocks('transactions.json'));
    expect(again.stderr).toContain(`transactions.csv: ${transactions} records; 0 new, 127 known already`);
    expect(again.stderr).toContain(`logs.json: ${logs} records; 0 new, ${tokens} known already`);
    expect(again.stderr).toContain('logs.json: imported before');
    expect(await stored()).toEqual(before);
  });

  test('have the value of the price file; other prices are another import', async () => {
    const btc = ['transfers', 'import', publicFile('transfers', 'btc_block_300025.jsonl'), '--format', 'bitcoin-etl'];
    const { records, payments, txid, amount } = ofData({
      whole: { records: 461, payments: 6573, txid: 'a17cb56f386346', amount: '0.17073588' },
      small: { records: 55, payments: 78, txid: '002dbe6fb0abf7', amount: '0.04551035' },
    });
    const prices = publicFile('prices', 'btc_daily_usd_eur_2010-2022.csv');
    expect((await run(...btc, '--prices', `BTC=${prices}`)).stderr).toContain(`${records} records; ${payments} new`);
    const { rows } = await database.pool.query(`SELECT amount, usd FROM chain.transfers WHERE txid LIKE $1`, [`${txid}%`]);
    const [price] = /^2014-05-10,([\d.]+),/m.exec(readFileSync(prices, 'utf8'))?.slice(1) ?? [];
    expect(rows).toEqual([{ amount, usd: expect.stringMatching(/^\d+\.\d+$/) }]);
    expect(Number(rows[0]?.['usd'])).toBeCloseTo(Number(amount) * Number(price), 6);
    expect((await run(...btc)).stderr).toContain(`0 new, ${payments} known already`);
  });

  test('that are equal in one file without positions all count; those there already are reported in rows and USD', async () => {
    const header = 'txid,from_address,to_address,amount,usd_value,time';
    const row = `0x${'1'.repeat(64)},${a},${b},5,150000.5,2024-01-01`;
    const file = write('equal.csv', `${header}\n${`${row}\n`.repeat(275)}`);
    const args = ['--format', 'csv', '--chain', 'ethereum', '--coin', 'ETH'];
    expect((await run('transfers', 'import', file, ...args)).stderr).toContain('275 records; 275 new, 0 known already, 0 rejected');
    const before = await stored();
    const { rows } = await database.pool.query('SELECT transfers::int, usd::float8 FROM chain.edges WHERE side = 0');
    expect(rows).toEqual([{ transfers: 275, usd: 275 * 150_000.5 }]);
    const part = write('part.csv', `${header}\n${`${row}\n`.repeat(20)}${row.replace('150000.5', '')}\n`);
    const again = await run('transfers', 'import', part, ...args);
    expect(again.stderr).toContain('0 new, 21 known already (3,000,010.00 USD, not added again), 0 rejected');
    const third = write('third.csv', `${header}\n${row}\n`);
    const [outcome] = JSON.parse((await run('transfers', 'import', third, ...args, '--json')).stdout);
    expect(outcome).toMatchObject({ new: 0, known: 1, known_usd: '150000.5' });
    expect(await stored()).toEqual(before);
  });

  test('that were killed, and then interrupted, go on where they were, and nothing is told or counted twice', async () => {
    // Most records move nothing, which costs the database nothing. Good and bad ones are spread over the file.
    const line = (n: number): string =>
      n % 10_000 === 1 ? `${a},${b},${n},2024-01-01` : n % 10_000 === 2 ? `${a},nobody,${n},2024-01-01` : `${a},${b},0,2024-01-01`;
    const records = 600_000;
    const file = write(
      'long.csv',
      `from_address,to_address,amount,time\n${Array.from({ length: records }, (_, at) => line(at + 1)).join('\n')}\n`,
    );
    const args = ['transfers', 'import', file, '--format', 'csv', '--chain', 'ethereum', '--coin', 'ETH'];
    const recordsDone = async (): Promise<number> => {
      const { rows } = await database.pool.query<{ done: number }>('SELECT coalesce(max(records), 0)::int AS done FROM chain.import_runs');
      return rows[0]?.done ?? 0;
    };
    for (const signal of ['SIGKILL', 'SIGINT'] as const) {
      const before = await recordsDone();
      const live = startWeir(args, { env: { DATABASE_URL: database.url }, cwd });
      await expect.poll(recordsDone, { timeout: 20_000, interval: 5 }).toBeGreaterThan(before);
      const code = await live.end(signal);
      expect(code).toBe(signal === 'SIGINT' ? 130 : null);
      if (signal === 'SIGINT')
        expect(live.output()).toContain('weir: interrupted; everything read is stored, and the same command continues there\n');
    }
    const interruptedAt = await recordsDone();
    expect(interruptedAt).toBeLessThan(records);
    const last = await run(...args, '--json');
    const [outcome] = JSON.parse(last.stdout);
    expect(outcome).toMatchObject({
      new: 60,
      known: 0,
      rejected: 60,
      last_record: records + 1,
      records: records + 1 - interruptedAt,
      done_before: false,
    });
    expect(last.code).toBe(1);
    const numbers = rejectedIn('long.csv.rejected.jsonl').map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, at) => at * 10_000 + 3));
    const { rows } = await database.pool.query(`SELECT sum(amount)::text AS sum, count(*)::int FROM chain.transfers`);
    expect(rows).toEqual([
      { sum: String(Array.from({ length: 60 }, (_, at) => at * 10_000 + 1).reduce((sum, n) => sum + n, 0)), count: 60 },
    ]);
  });

  test('of a node are those of its blocks, and another node of the chain goes on where one was interrupted', async () => {
    const node = await startFakeNode();
    const args = [
      'transfers',
      'import',
      '--format',
      'rpc',
      '--chain',
      'ethereum',
      '--from-block',
      '17173049',
      '--to-block',
      '17173050',
      '--unfinal',
      '--no-traces',
    ];
    let secondAsked = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (secondAsked = resolve));
    let hangs = true;
    const [first, second] = [17_173_049, 17_173_050].map((height) => `0x${height.toString(16)}`);
    const firstGiven = Promise.withResolvers<void>();
    // The second block waits for the first, and blocks the reader until it is stopped.
    node.behaviour.before = async (method, [tag]) => {
      if (method === 'eth_getBlockReceipts' && tag === first) setImmediate(firstGiven.resolve);
      if (method === 'eth_getBlockByNumber' && tag === second) await firstGiven.promise;
      if (!hangs || method !== 'eth_getBlockReceipts' || tag !== second) return undefined;
      secondAsked();
      return new Promise<never>(() => undefined);
    };
    const live = startWeir([...args, '--url', node.url], { env: { DATABASE_URL: database.url }, cwd });
    await waiting;
    const code = await live.end('SIGINT');
    expect(code).toBe(130);
    hangs = false;
    const { code: last, stdout, stderr } = await run(...args, '--url', node.url, '--json');
    expect({ last, stderr }).toEqual({ last: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ name: 'ethereum 17173049-17173050', records: 1, new: 127 + tokens, known: 0 }),
    ]);
    expect(live.output() + stderr).not.toContain('sesame');
    const { rows } = await database.pool.query('SELECT count(*)::int AS transfers FROM chain.transfers');
    expect(rows).toEqual([{ transfers: 127 + tokens }]);
    await node.close();
  });

  test('that cannot be read say why in one line', async () => {
    const file = write('two.csv', `from_address,to_address,amount,time\n${a},${b},1,2024-01-01\n`);
    const args = ['transfers', 'import', file, '--format', 'csv', '--chain', 'ethereum'];
    expect(await run(...args)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^weir: two\.csv: there is no column "coin"; [^\n]+\n$/),
    });
  });

  test('leave a file of somebody else alone where rejected rows would go', async () => {
    write('mine.txt', 'my notes\nmore\n');
    const file = write('three.csv', `from_address,to_address,amount,time\n${a},x,1,2024-01-01\n`);
    const args = ['transfers', 'import', file, '--format', 'csv', '--chain', 'ethereum', '--coin', 'ETH', '--rejected', 'mine.txt'];
    expect(await run(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining('holds no rejected rows') });
    expect(readFileSync(join(cwd, 'mine.txt'), 'utf8')).toBe('my notes\nmore\n');
  });

  test('are an act in the audit log, unless they were imported before', async () => {
    const file = write(
      'act.csv',
      `txid,from_address,to_address,amount,usd_value,time\n0x${'1'.repeat(64)},${a},${b},1,2000,2026-01-01T00:00:00Z\n`,
    );
    const args = ['transfers', 'import', file, '--format', 'csv', '--chain', 'ethereum', '--coin', 'ETH'];
    for (let n = 0; n < 2; n += 1) await run(...args);
    const { rows } = await database.pool.query(
      `SELECT subject_type, person_id, details FROM access.activities WHERE action = 'transfers_imported' AND details::text LIKE '%act.csv%'`,
    );
    const details = [
      { name: 'name', value: 'act.csv' },
      { name: 'after_record', value: '0' },
    ];
    expect(rows).toEqual([{ subject_type: 'import', person_id: expect.stringMatching(/^os:/), details }]);
  });
});
