import { evmNetwork, type LedgerRow, networks, type Payer, solanaNetwork, type World } from './world.ts';

/** A delivered answer and its payment. */
export interface Delivered {
  /** The payment's id where it has one, else the signed content. */
  readonly payment: string;
  readonly text: string;
}

export interface Books {
  readonly charges: number;
  readonly micro: bigint;
  /** The violations; empty when all sums agree. */
  readonly wrong: readonly string[];
}

/** Compares the transfers on the chains, the ledger and the delivered answers. `funds`: each payer's balance before. */
export async function closeBooks(
  world: World,
  funds: ReadonlyMap<Payer, bigint>,
  delivered: readonly Delivered[],
  paymentOf: (row: LedgerRow) => string,
): Promise<Books> {
  const rows = await world.ledger();
  const settled = rows.filter(({ state }) => state === 'settled');
  const wrong: string[] = [];
  const same = (what: string, one: unknown, other: unknown): void => {
    if (one !== other) wrong.push(`${what}: ${String(one)} and ${String(other)}`);
  };

  for (const { id, state } of rows) if (state !== 'settled' && state !== 'refused') wrong.push(`payment ${id} is still ${state}`);
  for (const network of networks) {
    const own = settled.filter((row) => row.network === network);
    same(`received and in the ledger on ${network}`, await world.received(network), sumOf(own));
  }
  const transfers = await world.evm.transfersTo(world.receivers[evmNetwork]);
  const onChain = new Set(transfers.map(({ transaction }) => transaction));
  const onBase = settled.filter(({ network }) => network === evmNetwork);
  same('transfers on Base and in the ledger', transfers.length, onBase.length);
  for (const { id, transaction } of onBase) if (!onChain.has(transaction ?? '')) wrong.push(`payment ${id} names no transfer`);
  same('transfers on Solana and in the ledger', world.solana.executed(), settled.filter(({ network }) => network === solanaNetwork).length);
  for (const [payer, before] of funds) {
    const own = settled.filter((row) => row.payer.toLowerCase() === payer.address.toLowerCase());
    same(`spent by ${payer.address} and in the ledger`, before - (await payer.balance()), sumOf(own));
  }

  const paid = new Map(settled.map((row) => [paymentOf(row), row]));
  same('settled payments and ids', paid.size, settled.length);
  const got = new Map<string, string>();
  for (const { payment, text } of delivered) {
    if (!paid.has(payment)) wrong.push(`an answer was free: ${payment}`);
    if ((got.get(payment) ?? text) !== text) wrong.push(`two answers for one payment: ${payment}`);
    got.set(payment, text);
  }
  for (const [payment, { answer }] of paid) {
    if (answer === null) wrong.push(`a charge has no answer to claim: ${payment}`);
    if (!got.has(payment)) wrong.push(`a charge has no delivered answer: ${payment}`);
    else if (got.get(payment) !== answer) wrong.push(`what was delivered is not what is stored: ${payment}`);
  }
  return { charges: settled.length, micro: sumOf(settled), wrong };
}

function sumOf(rows: readonly LedgerRow[]): bigint {
  return rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}
