import {
  type Address,
  address,
  type EncodedAccount,
  getAddressEncoder,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getProgramDerivedAddress,
  lamports,
  type Transaction,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';

/** LiteSVM with USDC. Adds pending transactions and the outcome of each. */
export interface SolanaLedger {
  readonly svm: LiteSVM;
  readonly mint: Address;
  readonly executed: number;
  fund(owner: Address, microUsdc: bigint): Promise<void>;
  fundGas(owner: Address): void;
  balanceOf(owner: Address): Promise<bigint>;
  pause(): void;
  resume(): void;
  /** Takes a signed transaction without preflight checks; returns its signature. */
  send(transaction: Transaction): string;
  /** Undefined until executed, and for ever when its blockhash had expired. */
  find(signature: string): Executed | undefined;
  /** Newest first. */
  listOf(account: string): readonly Executed[];
  simulate(transaction: Transaction): { readonly err: unknown; readonly logs: readonly string[]; readonly units: bigint };
}

/** A transaction in a block; `err` is null when it succeeded. */
export interface Executed {
  readonly signature: string;
  readonly err: unknown;
  readonly accounts: readonly string[];
  /** In the format of RPC nodes: prefixed with its length. */
  readonly memo: string | null;
  /** Base64. */
  readonly wire: string;
  /** Unix seconds. */
  readonly at: number;
}

const usdcMint = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
export const tokenProgram = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const associatedTokenProgram = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');

export function makeLedger(): SolanaLedger {
  const svm = new LiteSVM();
  const outcomes = new Map<string, Executed>();
  let waiting: Transaction[] | undefined;
  let executed = 0;
  svm.setAccount(accountOf(svm, usdcMint, mintData()));

  const balanceAt = (account: Address): bigint => {
    const found = svm.getAccount(account);
    return found.exists ? Buffer.from(found.data).readBigUInt64LE(64) : 0n;
  };
  const execute = (transaction: Transaction): void => {
    const signature = signatureOf(transaction);
    // A chain executes a transaction once.
    if (outcomes.has(signature)) return;
    const result = svm.sendTransaction(transaction);
    const err = result instanceof FailedTransactionMetadata ? errorOf(result) : null;
    if (err === 'BlockhashNotFound') return;
    outcomes.set(signature, { signature, err, ...describe(transaction) });
    if (err === null) executed += 1;
  };

  return {
    svm,
    mint: usdcMint,
    get executed() {
      return executed;
    },
    fund: async (owner, microUsdc) => {
      const account = await tokenAccountOf(owner);
      svm.setAccount(accountOf(svm, account, tokenAccountData(owner, balanceAt(account) + microUsdc)));
    },
    fundGas: (owner) => void svm.airdrop(owner, lamports(10_000_000_000n)),
    balanceOf: async (owner) => balanceAt(await tokenAccountOf(owner)),
    pause: () => {
      waiting ??= [];
    },
    resume: () => {
      const held = waiting ?? [];
      waiting = undefined;
      held.forEach(execute);
    },
    send: (transaction) => {
      if (waiting === undefined) execute(transaction);
      else waiting.push(transaction);
      return signatureOf(transaction);
    },
    find: (signature) => outcomes.get(signature),
    listOf: (account) => [...outcomes.values()].filter(({ accounts }) => accounts.includes(account)).toReversed(),
    simulate: (transaction) => {
      // The fee payer signs after the simulation.
      svm.withSigverify(false);
      try {
        const result = svm.simulateTransaction(transaction);
        const meta = result.meta();
        const err = result instanceof FailedTransactionMetadata ? errorOf(result) : null;
        return { err, logs: meta.logs(), units: meta.computeUnitsConsumed() };
      } finally {
        svm.withSigverify(true);
      }
    },
  };
}

const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

function describe(transaction: Transaction): Omit<Executed, 'signature' | 'err'> {
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  if (message.version === 1) throw new Error('transactions of version 1 are not expected here');
  const accounts = message.staticAccounts;
  const memos = message.instructions.filter(({ programAddressIndex }) => accounts[programAddressIndex] === memoProgram);
  const texts = memos.map(({ data }) => Buffer.from(data ?? []).toString());
  return {
    accounts,
    memo: texts.length === 0 ? null : texts.map((text) => `[${text.length}] ${text}`).join('; '),
    wire: getBase64EncodedWireTransaction(transaction),
    // oxlint-disable-next-line no-restricted-properties -- as the chain itself would say it
    at: Math.floor(Date.now() / 1_000),
  };
}

/** Error names as RPC nodes write them. */
function errorOf(failed: FailedTransactionMetadata): unknown {
  const text = failed.toString();
  const custom = /InstructionError\(\s*(\d+),\s*Custom\(\s*(\d+),?\s*\)/.exec(text);
  if (custom !== null) return { InstructionError: [Number(custom[1]), { Custom: Number(custom[2]) }] };
  const instruction = /InstructionError\(\s*(\d+),\s*(\w+)/.exec(text);
  if (instruction !== null) return { InstructionError: [Number(instruction[1]), instruction[2]] };
  return /err:\s*(\w+)/.exec(text)?.[1] ?? 'Unknown';
}

function signatureOf(transaction: Transaction): string {
  const [first] = Object.values(transaction.signatures);
  if (first === null || first === undefined) throw new Error('the fee payer has not signed');
  return getBase58Decoder().decode(first);
}

async function tokenAccountOf(owner: Address): Promise<Address> {
  const bytes = getAddressEncoder();
  const seeds = [bytes.encode(owner), bytes.encode(tokenProgram), bytes.encode(usdcMint)];
  return (await getProgramDerivedAddress({ programAddress: associatedTokenProgram, seeds }))[0];
}

function accountOf(svm: LiteSVM, at: Address, data: Uint8Array): EncodedAccount {
  const rent = svm.minimumBalanceForRentExemption(BigInt(data.length));
  return { address: at, data, lamports: lamports(rent), executable: false, programAddress: tokenProgram, space: BigInt(data.length) };
}

/** SPL Token's `Mint`: no authority, a supply, six decimals, initialised. */
function mintData(): Uint8Array {
  const data = Buffer.alloc(82);
  data.writeBigUInt64LE(10n ** 15n, 36);
  data.writeUInt8(6, 44);
  data.writeUInt8(1, 45);
  return new Uint8Array(data);
}

/** SPL Token's `Account`: mint, owner, amount, initialised. */
function tokenAccountData(owner: Address, amount: bigint): Uint8Array {
  const data = Buffer.alloc(165);
  data.set(getAddressEncoder().encode(usdcMint), 0);
  data.set(getAddressEncoder().encode(owner), 32);
  data.writeBigUInt64LE(amount, 64);
  data.writeUInt8(1, 108);
  return new Uint8Array(data);
}
