import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { makeFolder, type RunOptions, weir } from './weir.ts';

const [first, second] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`];

/** Imports one label and one recent transfer, so that the chain data is neither empty nor stale. */
export async function importChainData(place: readonly string[], options: RunOptions = {}): Promise<void> {
  const folder = makeFolder();
  const at = new Date(systemClock.now()).toISOString();
  const files = {
    labels: `chain,address,name,category,source\nethereum,${first},Somebody,ordinary,test\n`,
    transfers: `chain,txid,from_address,to_address,coin,amount,time\nethereum,0x${'1'.repeat(64)},${first},${second},ETH,1,${at}\n`,
  };
  for (const [kind, text] of Object.entries(files)) {
    const file = join(folder.path, `${kind}.csv`);
    writeFileSync(file, text);
    const { code, stderr } = await weir([kind, 'import', file, '--format', 'csv', ...place], options);
    if (code !== 0) throw new Error(`${kind} were not imported: ${stderr}`);
  }
  folder.remove();
}
