import { checkCoSpend, type CoSpend } from '@weir/chain-import';
import { DisjointSets } from '@weir/risk-engine';
import { copyInto, CopyLines } from '../import/copy.ts';
import type { BatchTransaction } from '../import/chain-batch.ts';
import { storeClusters } from './store-clusters.ts';

interface Signer {
  readonly chain: string;
  readonly address: string;
  /** The first of its co-spends in alphabetical order, so that the order of loading does not matter. */
  readonly txid: string;
}

/** The co-spends of one batch. Addresses that are joined, also through others, make one group. */
export class CoSpends {
  readonly #signers = new Map<string, Signer>();
  readonly #groups = new DisjointSets<string>();
  readonly #coinJoins: { readonly chain: string; readonly txid: string }[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the reason of a rejection. Strangers who sign a CoinJoin are not joined. */
  add(row: CoSpend): string | undefined {
    const coSpend = checkCoSpend(row);
    if ('fault' in coSpend) return coSpend.fault;
    const { chain, txid, addresses, coin_join } = coSpend;
    if (coin_join !== null) {
      this.#coinJoins.push({ chain, txid });
      this.#bytes += txid.length;
      return undefined;
    }
    const keys = addresses.map((address) => this.#add({ chain, address, txid }));
    for (const key of keys) this.#groups.join(keys[0] ?? key, key);
    return undefined;
  }

  async store(on: BatchTransaction): Promise<void> {
    if (this.#coinJoins.length > 0) await on.tx.query(insertCoinJoins, this.#coinJoinColumns());
    if (this.#signers.size === 0) return;
    await on.tx.query(signersTable);
    await copyInto(on.client, 'pg_temp.given_signers', this.#lines());
    await storeClusters(on);
  }

  #coinJoinColumns(): [chains: string[], txids: string[]] {
    return [this.#coinJoins.map(({ chain }) => chain), this.#coinJoins.map(({ txid }) => txid)];
  }

  #add(signer: Signer): string {
    const key = `${signer.chain} ${signer.address}`;
    const known = this.#signers.get(key);
    if (known === undefined || signer.txid < known.txid) this.#signers.set(key, signer);
    if (known === undefined) this.#bytes += signer.address.length + signer.txid.length;
    return key;
  }

  #lines(): CopyLines {
    const lines = new CopyLines();
    const numbers = new Map<string, number>();
    for (const [key, { chain, address, txid }] of this.#signers) {
      const group = this.#groups.find(key);
      const number = numbers.get(group) ?? numbers.size;
      numbers.set(group, number);
      lines.add([number, chain, address, txid]);
    }
    return lines;
  }
}

const insertCoinJoins =
  'INSERT INTO chain.coin_joins (chain, txid) SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING';

/** Per connection, emptied at commit. */
const signersTable = `
  CREATE TEMP TABLE IF NOT EXISTS given_signers (
    group_number integer, chain text COLLATE "C", address text COLLATE "C", txid text COLLATE "C") ON COMMIT DELETE ROWS`;
