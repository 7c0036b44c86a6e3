import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Installation } from '../support/stack/installation.ts';

const weir = join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'weir.js');
const account = (text: string): string => `0x${text.padStart(40, '0')}`;

export const [thief, mule, exchange] = [account('f1'), account('a1'), account('e1')];
export const txid = (n: number): string => `0x${String(n).padStart(64, '0')}`;

/** A thief paid a mule 10 ETH (30,000 USD), which paid 9 ETH to an exchange. */
export async function loadTracedMoney(installation: Installation, { thiefName = 'Some Thief' } = {}): Promise<void> {
  const load = async (what: string, lines: readonly string[]): Promise<void> => {
    const file = join(installation.dataDir, `${what}.csv`);
    writeFileSync(file, `${lines.join('\n')}\n`);
    await promisify(execFile)(process.execPath, [weir, what, 'import', file, '--format', 'csv', '--data-dir', installation.dataDir], {
      env: { ...process.env, WEIR_TOKEN: installation.token('admin') },
    });
  };
  const label = (address: string, name: string, category: string) =>
    `ethereum,${address},"${name.replaceAll('"', '""')}",${category},2025-01-01,,1,test`;
  await load('labels', [
    'chain,address,name,category,valid_from,valid_to,confidence,source',
    label(thief, thiefName, 'theft'),
    label(exchange, 'Some Exchange', 'exchange'),
  ]);
  const transfer = (n: number, from: string, to: string, amount: number) =>
    `ethereum,${txid(n)},0,${from},${to},ETH,${amount},${amount * 3_000},2026-01-0${n}T00:00:00Z,test`;
  await load('transfers', [
    'chain,txid,position,from_address,to_address,coin,amount,usd_value,time,source',
    transfer(1, thief, mule, 10),
    transfer(2, mule, exchange, 9),
  ]);
}
