import type { SourceRecord } from '@weir/chain-import';
import { ImportConflict } from '@weir/chain-store';
import { evmChains } from '@weir/chains';
import type { Clock } from '@weir/clock';
import { screeningId } from '@weir/contracts';
import type { Pool } from '@weir/postgres';
import { importChainRecords } from '@weir/risk-api';
import { type SampleDeposit, sampleDeposits, type SampleLabel, sampleLabels, sampleTransfers, sampleVersion } from '@weir/sample';
import { asOwner } from '@weir/installation';
import type { Installation } from '@weir/installation/services';
import pMap from 'p-map';
import { importKey } from '../import/import-key.ts';

export interface SampleFacts {
  readonly labels: number;
  readonly transfers: number;
}

/** Another replica has this long to import the sample. */
const importPatienceMs = 60_000;

/**
 * Imports the sample's labels and transfers once, labels as a file of them is. Labels that people withdraw do not come back. Of replicas that
 * start at once, one imports and the others wait.
 */
export async function importSample(ownerUrl: string, clock: Clock): Promise<SampleFacts> {
  const end = clock.monotonic() + importPatienceMs;
  for (;;) {
    try {
      return await asOwner(ownerUrl, (pool) => importOnce(pool, clock));
    } catch (error) {
      if (!(error instanceof ImportConflict) || clock.monotonic() > end) throw error;
    }
    await clock.sleep(250);
  }
}

async function importOnce(pool: Pool, clock: Clock): Promise<SampleFacts> {
  const common = { name: 'sample', clock, onRejected: () => undefined };
  const keyOf = (kind: string): string => importKey({ kind, sample: sampleVersion, chains: evmChains });
  const labelsKey = keyOf('labels');
  const read = (after: number) => numbered(everywhere(sampleLabels()), after);
  const run = async (): Promise<number> => {
    const { inserted, unchanged } = await importChainRecords(pool, { ...common, kind: 'labels', key: labelsKey, read });
    return inserted + unchanged;
  };
  const labels = (await importedOf(pool, labelsKey)) ?? (await run());
  const readTransfers = (after: number) => numbered(sampleTransfers(), after);
  const transfers = await importChainRecords(pool, { ...common, kind: 'transfers', key: keyOf('transfers'), read: readTransfers });
  return { labels, transfers: transfers.inserted + transfers.unchanged };
}

/** The labels that an import which has ended gave, also where they were withdrawn since. */
async function importedOf(db: Pool, key: string): Promise<number | undefined> {
  const { rows } = await db.query<{ labels: number }>(
    `SELECT labels::float8 FROM chain.label_changes WHERE action = 'import' AND scope ->> 'importKey' = $1 LIMIT 1`,
    [key],
  );
  return rows[0]?.labels;
}

async function* numbered<Row>(rows: AsyncIterable<Row>, after: number): AsyncGenerator<SourceRecord<Row>> {
  let number = 0;
  for await (const row of rows) {
    number += 1;
    if (number > after) yield { number, rows: [row] };
  }
}

/** A sanctioned person controls an Ethereum address on every EVM chain. */
async function* everywhere(labels: AsyncIterable<SampleLabel>): AsyncGenerator<SampleLabel> {
  for await (const label of labels) {
    const isOfPerson = label.category === 'sanctioned' && label.chain === 'ethereum';
    for (const chain of isOfPerson ? evmChains : [label.chain]) yield { ...label, chain };
  }
}

export interface SampleScreening {
  readonly deposit: SampleDeposit;
  readonly id: string;
}

export async function listSample(): Promise<SampleScreening[]> {
  const all: SampleScreening[] = [];
  for await (const deposit of sampleDeposits()) all.push({ deposit, id: screeningId('deposit', deposit.deposit_id) });
  return all;
}

/** The decided ones of these screenings, according to the console. */
export async function decidedOf(pool: Pool, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT screening_id AS id FROM console.screenings WHERE screening_id = ANY($1::uuid[]) AND action IS NOT NULL',
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

const atOnce = 4;

/** Posts deposits of the sample as an exchange would. */
export async function replaySample(installation: Installation, sample: readonly SampleScreening[], signal: AbortSignal): Promise<void> {
  const replay = async ({ deposit }: SampleScreening): Promise<void> => {
    if (!signal.aborted) await post(installation, deposit, signal);
  };
  await pMap(sample, replay, { concurrency: atOnce });
}

/** Like an exchange, it waits out a short outage of the database. */
const patienceMs = 30_000;

async function post(installation: Installation, deposit: SampleDeposit, signal: AbortSignal): Promise<void> {
  const { clock } = installation.pipeline;
  const end = clock.monotonic() + patienceMs;
  for (;;) {
    const status = await postOnce(installation, deposit, signal);
    if (status < 300 || signal.aborted) return;
    if (status < 500 || clock.monotonic() > end) throw new Error(`the sample's deposit ${deposit.deposit_id} was answered with ${status}`);
    await clock.sleep(500, signal);
  }
}

async function postOnce(installation: Installation, deposit: SampleDeposit, signal: AbortSignal): Promise<number> {
  const { source: _source, detected_at: _past, ...body } = deposit;
  const response = await fetch(`${installation.url}/v1/deposits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${installation.credentials.tokens.ingest}` },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
  });
  await response.arrayBuffer();
  return response.status;
}
