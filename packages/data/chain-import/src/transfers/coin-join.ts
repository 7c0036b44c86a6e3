/** `equal outputs`: JoinMarket, Whirlpool. `many equal outputs`: Wasabi 1. `many denominations`: Wasabi 2. */
export type CoinJoin = 'equal outputs' | 'many equal outputs' | 'many denominations';

/** An input or an output, in the smallest unit. `owner`: null unless it has exactly one address. */
export interface OwnedValue {
  readonly owner: string | null;
  readonly value: bigint;
}

/** Omni and Counterparty mark their recipients with outputs of these values. */
const markers: ReadonlySet<bigint> = new Set([546n, 2730n]);
/** Wasabi 1 has at least ten participants. Its change and further denominations outnumber the equal outputs. */
const manyEqual = 10;
/** Wasabi 2 has at least twenty inputs, its successors fewer. */
const manyInputs = 10;

/**
 * The shape of a CoinJoin, whose inputs belong to strangers. Undefined for any other transaction.
 *
 * `equal outputs`: n outputs have one value, at least n addresses sign, and no more than n other outputs exist for change (BlockSci). The
 * other shapes follow Dumplings and Schnoering and Vazirgiannis (2023). Errs towards a CoinJoin: a missed one joins strangers, a wrong one
 * only leaves a wallet in parts. A PayJoin looks like a payment and is not found.
 */
export function findCoinJoin(inputs: readonly OwnedValue[], outputs: readonly OwnedValue[]): CoinJoin | undefined {
  const signers = ownersOf(inputs);
  const paid = outputs.filter(({ value }) => value > 0n && !markers.has(value));
  const repeats = [...Map.groupBy(paid, ({ value }) => value).values()].map(ownersOf).filter((owners) => owners > 1);
  const equal = Math.max(0, ...repeats);
  if (equal === 0 || signers < 2) return undefined;
  if (equal <= signers && paid.length <= 2 * equal) return 'equal outputs';
  if (equal >= manyEqual && equal <= signers) return 'many equal outputs';
  const repeated = repeats.reduce((sum, owners) => sum + owners, 0);
  return signers >= manyInputs && paid.length >= manyInputs && 2 * repeated >= paid.length ? 'many denominations' : undefined;
}

/** Ends without one address may each have another owner. */
function ownersOf(ends: readonly OwnedValue[]): number {
  const named = ends.flatMap(({ owner }) => owner ?? []);
  return new Set(named).size + ends.length - named.length;
}
