import type { LabelRow, SourceRecord, TransferRow } from '@weir/chain-import';
import { powerLawLabels, powerLawTransfers } from '@weir/risk-engine/testing';

/** As on a chain where most addresses are used a few times. */
const transfersPerAddress = 5;
const seed = 1;

/** A chain of `size` transfers. Each call yields the same rows. */
export interface BenchChain {
  readonly size: number;
  labels(): AsyncGenerator<SourceRecord<LabelRow>>;
  transfers(): AsyncGenerator<SourceRecord<TransferRow>>;
}

export function benchChain(size: number): BenchChain {
  const addresses = size / transfersPerAddress;
  return {
    size,
    async *labels() {
      let number = 0;
      for (const label of powerLawLabels({ seed, addresses })) {
        yield { number: ++number, rows: [{ ...label, chain: 'ethereum', valid_from: null, valid_to: null }] };
      }
    },
    async *transfers() {
      let number = 0;
      for (const { txid, position, from, to, usd, time } of powerLawTransfers({ seed, addresses, transfers: size })) {
        const value = usd === null ? null : usd.toFixed(2);
        const row = { txid, position, from_address: from, to_address: to, coin: 'USDT-ERC20', amount: value, usd_value: value, time };
        yield { number: ++number, rows: [{ ...row, chain: 'ethereum', source: 'bench' }] };
      }
    },
  };
}

const bytesPerChunk = 100_000;

/** The chain's transfers as lines of COPY; no value needs an escape. */
export async function* copyLines(
  chain: BenchChain,
  columns: (row: TransferRow) => readonly (string | number | null)[],
): AsyncGenerator<Buffer> {
  let chunk = '';
  for await (const record of chain.transfers()) {
    for (const row of 'rows' in record ? record.rows : [])
      chunk += `${columns(row)
        .map((value) => value ?? '\\N')
        .join('\t')}\n`;
    if (chunk.length < bytesPerChunk) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  yield Buffer.from(chunk);
}
