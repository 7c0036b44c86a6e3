import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleDeposits, sampleLabels } from '@weir/sample';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import { startCommand } from '../support/stack/installation.ts';
import { freeInstallationPort } from '../support/stack/ports.ts';
import { type ExportedRecord, undescribed } from './described-topics.ts';

/** The servers of a tier besides `weir start` and its PostgreSQL. */
export interface FirstStartTier {
  /** Starts the tier's servers; `env` selects the tier. */
  prepare(): Promise<{ env: NodeJS.ProcessEnv; close(): Promise<void> }>;
}

interface Screening {
  status: string;
  transfer: { deposit_id: string; from_address: string; chain: string };
  result: {
    outcome: string;
    risk_level?: string;
    score?: number;
    address_label: string;
    detail_list: string[];
    evidence_sha256: string;
  } | null;
  decisions: { revision: number; action: string; reason_codes: string[]; policy_hash: string; supersedes: number | null }[];
}

/** Addresses of the sample by chain, with their category. Only current labels of the given categories count. */
async function addressesOf(categories: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { chain, address, category, valid_to } of sampleLabels()) {
    if (valid_to === null && categories.includes(category)) found.set(`${chain}/${address}`, category);
  }
  return found;
}

/** The first start with the sample, with the same expectations on every tier. */
export function expectFirstStart(tier: FirstStartTier): void {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-sample-'));
  let port = 0;
  let below: Awaited<ReturnType<FirstStartTier['prepare']>> | undefined;
  let child: ChildProcess | undefined;
  let output = '';

  function start(): ChildProcess {
    output = '';
    const command = startCommand(['--port', String(port), '--data-dir', dataDir]);
    const started = spawn(command.program, command.args, { env: { ...process.env, ...below?.env }, stdio: ['ignore', 'pipe', 'inherit'] });
    started.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    return started;
  }

  /** A start that ends at once fails with its exit code, not after the limit. */
  async function isStarted(timeout: number): Promise<void> {
    await vi.waitUntil(
      () => {
        if (child?.exitCode != null) throw new Error(`weir start ended with ${child.exitCode}: ${output}`);
        return output.includes('Where to look next');
      },
      { timeout, interval: 100 },
    );
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child?.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  beforeAll(async () => {
    below = await tier.prepare();
    port = await freeInstallationPort();
    child = start();
    await isStarted(240_000);
  }, 360_000);

  afterAll(async () => {
    await stop('SIGINT');
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    await below?.close();
  });

  async function read(path: string): Promise<any> {
    const token = JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8')).tokens.auditor;
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    return answer.json();
  }

  async function screenings(query = ''): Promise<Screening[]> {
    const items: Screening[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { items: Screening[]; next_cursor: string | null } = await read(`/v1/screenings?limit=200&cursor=${cursor}&${query}`);
      items.push(...page.items);
      cursor = page.next_cursor;
    }
    return items;
  }

  test('every deposit of the sample is decided once, with evidence; who is on a sanctions list is blocked before that, too', async () => {
    const wanted = new Set<string>();
    for await (const deposit of sampleDeposits()) wanted.add(deposit.deposit_id);
    const listed = await addressesOf(['sanctioned']);
    const isListed = ({ transfer }: Screening): boolean => listed.has(`${transfer.chain}/${transfer.from_address}`);
    // Blocked locally at once; the risk API's result follows later.
    const all = await vi.waitFor(async () => {
      const found = await screenings();
      expect(found.filter((screening) => isListed(screening) && screening.decisions.length === 1)).toEqual([]);
      return found;
    });
    expect(new Set(all.map(({ transfer }) => transfer.deposit_id))).toEqual(wanted);
    expect(all.length).toBeGreaterThanOrEqual(100);
    for (const screening of all) {
      const { status, result, decisions } = screening;
      expect(status).not.toBe('open');
      expect(result?.evidence_sha256).toMatch(/^[0-9a-f]{64}$/);
      const first = { revision: 1, supersedes: null };
      expect(decisions).toMatchObject(
        isListed(screening)
          ? [
              { ...first, action: 'block', reason_codes: ['LOCAL_SANCTIONS_MATCH'] },
              { revision: 2, action: 'block' },
            ]
          : [first],
      );
    }
  });

  test('allow, review and block each occur, for reasons that the labels justify', async () => {
    const bad = await addressesOf(['sanctioned', 'theft', 'phishing']);
    const all = await screenings();
    const actions = new Set(all.map(({ decisions }) => decisions[0]?.action));
    expect(actions).toEqual(new Set(['allow', 'review', 'block']));
    const senderIsBad = ({ transfer }: Screening): string | undefined => bad.get(`${transfer.chain}/${transfer.from_address}`);
    const labelled = all.filter((screening) => senderIsBad(screening) !== undefined);
    expect(labelled.length).toBeGreaterThan(10);
    for (const screening of labelled) expect(screening.decisions[0]?.action, JSON.stringify(screening.transfer)).toBe('block');
    for (const { decisions, result } of await screenings('action=allow')) {
      expect(decisions[0]?.reason_codes).toEqual([`LEVEL_${result?.risk_level?.toUpperCase()}`]);
      expect(['Low', 'Moderate']).toContain(result?.risk_level);
    }
    for (const screening of all.filter((candidate) => senderIsBad(candidate) === 'sanctioned')) {
      expect(screening.decisions.at(-1)?.reason_codes).toContain('SANCTIONED_EXPOSURE');
    }
  });

  test('a review of the sample is due a day after its hold', async () => {
    const { items: all }: { items: { held_since: string; adverse_update: boolean; due_at: string | null }[] } =
      await read('/v1/reviews?limit=200&sort=due');
    const items = all.filter(({ adverse_update: isAdverse }) => !isAdverse);
    expect(items.length).toBeGreaterThan(0);
    const due = items.map(({ held_since: since }) => new Date(Date.parse(since) + 86_400_000).toISOString());
    expect(items.map(({ due_at: at }) => at)).toEqual(due);
    expect(due).toEqual(due.toSorted());
  });

  test('the import of the sample is a change of labels, and gives each source its age', async () => {
    const { items } = await read('/v1/label-changes');
    expect(items).toEqual([expect.objectContaining({ action: 'import', import: 'sample', person: null })]);
    const { sources } = await read('/v1/label-sources');
    const labels = sources.reduce((sum: number, source: { labels: number }) => sum + source.labels, 0);
    expect(labels).toBe(items[0].labels);
    for (const { imported_at: at } of sources) expect(Math.abs(Date.parse(items[0].changed_at) - Date.parse(at))).toBeLessThan(60_000);
  });

  test('every record of every topic is as asyncapi.yaml describes it', async () => {
    const { code, stdout } = await weir(['audit', 'export', '--format', 'jsonl', '--data-dir', dataDir], { env: below?.env ?? {} });
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Partial<ExportedRecord>);
    const records = lines.filter((line): line is ExportedRecord => line.topic !== undefined);
    const written = ['deposits.detected', 'screenings.requested', 'screenings.scored', 'screenings.decided', 'activities.recorded'];
    expect([...new Set(records.map(({ topic }) => topic))]).toEqual(expect.arrayContaining(written));
    expect(undescribed(records)).toEqual([]);
    // It sees what is not as described.
    const [first] = records as [ExportedRecord];
    const cut = { ...first, value_base64: Buffer.from(first.value_base64, 'base64').subarray(0, -1).toString('base64') };
    expect(undescribed([cut, { ...first, headers: { ...first.headers, ce_id: 'none' } }, { ...first, topic: 'other' }])).toHaveLength(3);
  });

  test('the credentials are the owner’s alone', () => {
    expect(statSync(join(dataDir, 'dev-credentials.json')).mode & 0o777).toBe(0o600);
  });

  test('no service asks the database for more than its role may', () => {
    const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8');
    expect(log.split('\n').filter((line) => line.includes('permission denied') || line.includes('row-level security'))).toEqual([]);
  });

  test('a second start shows the same decisions and makes no new ones, and leaves a label ended that people ended', async () => {
    const [address, source] = ['0x0b2402144bb366a632d14b83f244d2e0e21bd39c', 'npm @wormhole-foundation/sdk-base 6.1.5 (Apache-2.0)'];
    const labels = `/v1/labels?${new URLSearchParams({ address, source }).toString()}`;
    const end = ['labels', 'end', '--address', address, '--source', source, '--reason', 'moved', '--person', 'Ann', '--data-dir', dataDir];
    expect(await weir(end, { env: below?.env ?? {} })).toMatchObject({ code: 0 });
    const ended = await read(labels);
    expect(ended).toMatchObject({ items: [{ valid_to: expect.any(String) }] });
    const before = await screenings();
    await stop('SIGKILL');
    child = start();
    await isStarted(60_000);
    expect(await screenings()).toEqual(before);
    expect(await read(labels)).toEqual(ended);
  });

  test('a further start leaves labels of the sample withdrawn that people withdrew', async () => {
    const gone = 'OFAC SDN, removed';
    const withdraw = ['labels', 'withdraw', '--source', gone, '--reason', 'wrong', '--person', 'Ann', '--yes', '--data-dir', dataDir];
    expect(await weir(withdraw, { env: below?.env ?? {} })).toMatchObject({ code: 0 });
    const withdrawn = `/v1/labels?${new URLSearchParams({ source: gone }).toString()}`;
    expect(await read(withdrawn)).toMatchObject({ items: [] });
    await stop('SIGTERM');
    child = start();
    await isStarted(60_000);
    expect(await read(withdrawn)).toMatchObject({ items: [] });
  });
}
