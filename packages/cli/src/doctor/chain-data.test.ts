import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSettings } from '../settings.ts';
import { openWorkspace, type Workspace } from '../testing/workspace.ts';
import { examineChainData } from './chain-data.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
});
afterAll(() => workspace.remove());

const [from, to] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`];
const txid = '3'.repeat(64);
async function importTable(name: string, content: string, ...flags: readonly string[]): Promise<void> {
  workspace.write(name, content);
  const { code, stderr } = await workspace.run('transfers', 'import', name, ...flags);
  expect([code, stderr]).toEqual([0, expect.stringContaining(' 0 rejected')]);
}
const internalRemarks = async (): Promise<string[]> => {
  const settings = { ...loadSettings({}), upstreamUrl: '' };
  const findings = await examineChainData(workspace.database.pool, settings);
  return findings
    .filter(({ state, detail }) => state === 'note' && detail.startsWith('no payments of contracts'))
    .map(({ detail }) => detail);
};

test('a chain whose transfers have no payments of contracts is named, until traces are imported', async () => {
  const columns = 'chain,txid,position,from_address,to_address,coin,amount,time';
  const bitcoin = `bitcoin,${txid},0,1BoatSLRHtKNngkdXEeobR76b53LETtpyT,1MEMAUm1RGLYPqJAJmkewxfDm9dtFg4axs,BTC,1,2024-01-01`;
  await importTable('own.csv', `${columns}\nethereum,0x${txid},0,${from},${to},ETH,1,2024-01-01\n${bitcoin}\n`, '--format', 'csv');
  expect(await internalRemarks()).toEqual([expect.stringMatching(/^no payments of contracts within a transaction: ethereum; /)]);
  const table = 'transaction_hash,block_number,block_timestamp,trace_type,call_type,trace_address,status,from_address,to_address,value';
  const trace = `0x${txid},1,2024-01-01,call,call,0,1,${to},${from},5`;
  await importTable('traces.csv', `${table}\n${trace}\n`, '--format', 'ethereum-etl', '--chain', 'ethereum');
  expect(await internalRemarks()).toEqual([]);
});
