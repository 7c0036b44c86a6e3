import type { LeftOut, TransferRow } from '../rows.ts';
import { Unusable } from '../source/fields.ts';
import { derivedPosition } from '../transfers/position.ts';
import { nativeRows, tokenRows } from '../transfers/rows.ts';
import type { Scope } from '../transfers/scope.ts';
import { divide, type Stake } from '../transfers/shares.ts';
import { type Json, listOf, objectOf, textOf } from './json.ts';
import { NodeError } from './node.ts';

/** The system program, as the other end of tokens that are made or burnt. */
const nobody = '11111111111111111111111111111111';
/** The mint of wrapped SOL. An account of it holds its tokens as lamports. */
const wrapped = 'So11111111111111111111111111111111111111112';

/** Of one asset from one account to another. */
interface Move {
  /** Undefined: SOL. */
  readonly mint: string | undefined;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly position: number;
}

interface TokenAccount {
  /** Undefined: of an old node, which does not name it. */
  readonly owner: string | undefined;
  readonly mint: string;
}

/**
 * The transfers of one transaction in the form `jsonParsed`. Transfers that instructions of the system and token programs name are taken
 * as they are. What the changes of balances leave over, other programs moved: those who lost it pay those who gained it, in proportion. A token account stands for its owner. What keeps an account open (rent) is no transfer, and nor are fees.
 * Throws `Unusable` where an old node does not name the owner of a token account.
 */
export function solanaRows(scope: Scope, transaction: Json, time: string): readonly TransferRow[] {
  const meta = objectOf(transaction['meta'], 'the outcome of a transaction');
  if (meta['err'] !== null) return [];
  const content = objectOf(transaction['transaction'], 'the content of a transaction');
  const { signatures } = content;
  const txid: unknown = Array.isArray(signatures) ? signatures[0] : undefined;
  if (typeof txid !== 'string') throw new NodeError('the node gives a transaction without signature');
  const message = objectOf(content['message'], 'the message of a transaction');
  const keys = listOf(message['accountKeys'], 'the accounts of a transaction: it needs the encoding jsonParsed').map((key) =>
    textOf(key, 'pubkey'),
  );
  const instructions = instructionsOf(message, meta);
  const tokens = { before: tokensOf(meta, keys, 'preTokenBalances'), after: tokensOf(meta, keys, 'postTokenBalances') };
  const { accounts, decimals } = tokenAccountsOf(tokens, instructions);
  const balances = new Balances(meta, keys, tokens, accounts);
  const named = instructions.flatMap(({ program, type, info }, n) => movesOf({ program, type, info }, n + 1, balances));
  const ownerOf = (account: string): string => {
    const token = accounts.get(account);
    if (token === undefined) return account;
    if (token.owner === undefined) throw new Unusable(`transaction ${txid}: the node does not name the owner of token account ${account}`);
    return token.owner;
  };
  const isRent = ({ mint, to }: Move): boolean => mint === undefined && (accounts.get(to)?.mint ?? wrapped) !== wrapped;
  const moves = [...named, ...balances.rest(isRent)].map((move) => ({ ...move, isRent: isRent(move) }));
  return moves.flatMap(({ mint, value, position, ...ends }) => {
    if (ends.isRent || ends.from === ends.to) return [];
    const [from, to] = [ownerOf(ends.from), ownerOf(ends.to)];
    if (from === to) return [];
    const move = { txid, from, to, value, time, position };
    const rows: readonly TransferRow[] | LeftOut =
      mint === undefined
        ? nativeRows(scope, move)
        : tokenRows(scope, { ...move, contract: mint, ...(decimals.has(mint) && { decimals: decimals.get(mint) as number }) });
    return typeof rows === 'string' ? [] : rows;
  });
}

interface Instruction {
  readonly program: string;
  readonly type: string;
  readonly info: Json;
}

/** All of a transaction, in the order in which they ran; one that the node does not parse has no type. */
function instructionsOf(message: Json, meta: Json): Instruction[] {
  const inner = new Map(
    listOf(meta['innerInstructions'] ?? [], 'the inner instructions').map(({ index, instructions }) => [
      index,
      listOf(instructions, 'the inner instructions'),
    ]),
  );
  return listOf(message['instructions'], 'the instructions of a transaction')
    .flatMap((outer, n) => [outer, ...(inner.get(n) ?? [])])
    .map(({ program, parsed }) => {
      const { type, info } = (parsed ?? {}) as { type?: unknown; info?: unknown };
      const isParsed = typeof program === 'string' && typeof type === 'string' && typeof info === 'object' && info !== null;
      return isParsed ? { program, type, info: info as Json } : { program: '', type: '', info: {} };
    });
}

/** From the balances before and after; and for accounts that live no longer than the transaction, from what opens them. */
function tokenAccountsOf({ before, after }: TokenBalances, instructions: readonly Instruction[]) {
  const accounts = new Map<string, TokenAccount>();
  const decimals = new Map<string, number>();
  for (const { program, type, info } of instructions) {
    const opens =
      (isTokenProgram(program) && type.startsWith('initializeAccount')) ||
      (program === 'spl-associated-token-account' && type.startsWith('create'));
    if (opens)
      accounts.set(textOf(info, 'account'), {
        owner: textOf(info, info['owner'] === undefined ? 'wallet' : 'owner'),
        mint: textOf(info, 'mint'),
      });
  }
  for (const { account, mint, owner, places } of [...before, ...after]) {
    accounts.set(account, { owner, mint });
    decimals.set(mint, places);
  }
  return { accounts, decimals };
}

interface TokenBalance extends TokenAccount {
  readonly account: string;
  readonly value: bigint;
  readonly places: number;
}

/** Of each token account, before and after the transaction. */
interface TokenBalances {
  readonly before: readonly TokenBalance[];
  readonly after: readonly TokenBalance[];
}

function tokensOf(meta: Json, keys: readonly string[], which: 'preTokenBalances' | 'postTokenBalances'): TokenBalance[] {
  return listOf(meta[which] ?? [], 'the balances of tokens').map((balance) => {
    const { accountIndex, owner } = balance;
    const account = keys[Number(accountIndex)];
    if (account === undefined) throw new NodeError('the node gives a balance of an account that the transaction does not have');
    const amount = objectOf(balance['uiTokenAmount'], 'the balance of a token');
    return {
      account,
      owner: typeof owner === 'string' ? owner : undefined,
      mint: textOf(balance, 'mint'),
      value: unitsOf(amount['amount']),
      places: Number(amount['decimals']),
    };
  });
}

const isTokenProgram = (program: string): boolean => program === 'spl-token' || program === 'spl-token-2022';

function unitsOf(value: unknown): bigint {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
  if (Number.isInteger(value) && (value as number) >= 0) return BigInt(value as number);
  throw new NodeError('the node gives an amount that is no whole number');
}

/** Moves what an instruction of the system and token programs says. */
function movesOf({ program, type, info }: Instruction, position: number, balances: Balances): Move[] {
  const sol = (from: string, to = 'destination'): Move[] =>
    balances.move({ mint: undefined, from: textOf(info, from), to: textOf(info, to), value: unitsOf(info['lamports']), position });
  if (program === 'system') {
    if (type === 'transfer' || type === 'transferWithSeed') return sol('source');
    if (type === 'createAccount' || type === 'createAccountWithSeed') return sol('source', 'newAccount');
    return type === 'withdrawFromNonce' ? sol('nonceAccount') : [];
  }
  if (!isTokenProgram(program)) return [];
  const amount = (): bigint => unitsOf(info['amount'] ?? objectOf(info['tokenAmount'], 'the amount of a token')['amount']);
  switch (type) {
    case 'transfer':
    case 'transferChecked':
    case 'transferCheckedWithFee': {
      const [from, to] = [textOf(info, 'source'), textOf(info, 'destination')];
      // The fee stays with the receiving account, out of its owner's reach.
      const fee = info['feeAmount'] === undefined ? 0n : unitsOf(objectOf(info['feeAmount'], 'the fee of a transfer')['amount']);
      return balances.move({ mint: balances.mintOf(from), from, to, value: amount() - fee, position }, fee);
    }
    case 'mintTo':
    case 'mintToChecked':
      return balances.move({ mint: textOf(info, 'mint'), from: nobody, to: textOf(info, 'account'), value: amount(), position });
    case 'burn':
    case 'burnChecked':
      return balances.move({ mint: textOf(info, 'mint'), from: textOf(info, 'account'), to: nobody, value: amount(), position });
    case 'closeAccount': {
      const from = textOf(info, 'account');
      return balances.move({ mint: undefined, from, to: textOf(info, 'destination'), value: balances.lamportsOf(from), position });
    }
    default:
      return [];
  }
}

/** A double does not hold the balance of the largest accounts exactly. */
const inexact = 2_048n;

/** Balances while a transaction runs: of SOL by account, and of tokens by token account. */
class Balances {
  readonly #accounts: ReadonlyMap<string, TokenAccount>;
  readonly #now = new Map<string, bigint>();
  readonly #then = new Map<string, bigint>();
  /** Mint (empty: SOL) and account of each place. */
  readonly #places = new Map<string, { mint: string | undefined; account: string }>();

  constructor(meta: Json, keys: readonly string[], tokens: TokenBalances, accounts: ReadonlyMap<string, TokenAccount>) {
    this.#accounts = accounts;
    const [before, after] = [meta['preBalances'], meta['postBalances']];
    if (!Array.isArray(before) || !Array.isArray(after) || before.length !== keys.length || after.length !== keys.length)
      throw new NodeError('the node does not give the balances of a transaction');
    keys.forEach((account, n) => {
      // The first account pays the fee before anything runs.
      const fee = n === 0 ? unitsOf(meta['fee']) : 0n;
      this.#set(undefined, account, unitsOf(before[n]) - fee, unitsOf(after[n]));
    });
    for (const { account, mint, value } of tokens.before) if (mint !== wrapped) this.#set(mint, account, value, 0n);
    for (const { account, mint, value } of tokens.after)
      if (mint !== wrapped) this.#set(mint, account, this.#now.get(placeOf(mint, account)) ?? 0n, value);
  }

  #set(mint: string | undefined, account: string, now: bigint, then: bigint): void {
    const place = placeOf(mint, account);
    this.#places.set(place, { mint, account });
    this.#now.set(place, now);
    this.#then.set(place, then);
  }

  lamportsOf(account: string): bigint {
    return this.#now.get(placeOf(undefined, account)) ?? 0n;
  }

  /** Undefined: of SOL, as which wrapped SOL counts. */
  mintOf(account: string): string | undefined {
    const mint = this.#accounts.get(account)?.mint;
    if (mint === undefined) throw new NodeError('the node does not say which token a transaction moves');
    return mint === wrapped ? undefined : mint;
  }

  move(move: Move, fee = 0n): Move[] {
    const { mint, from, to, value } = move;
    const [source, target] = [placeOf(mint, from), placeOf(mint, to)];
    this.#now.set(source, (this.#now.get(source) ?? 0n) - value - fee);
    this.#now.set(target, (this.#now.get(target) ?? 0n) + value);
    return [move];
  }

  /** What other programs moved: those who lost an asset pay those who gained it, in proportion. Tokens may be made and burnt so. */
  rest(isRent: (move: Move) => boolean): Move[] {
    const changes = [...this.#places].flatMap(([place, { mint, account }]) => {
      const then = this.#then.get(place) ?? 0n;
      const change = then - (this.#now.get(place) ?? 0n);
      const size = change < 0n ? -change : change;
      const isKnown = then <= Number.MAX_SAFE_INTEGER || mint !== undefined || size > inexact;
      return size === 0n || !isKnown ? [] : [{ mint, account, change }];
    });
    return [...Map.groupBy(changes, ({ mint }) => mint)]
      .flatMap(([mint, of]) => {
        const gains = of.filter(
          ({ account, change }) => change > 0n && !isRent({ mint, from: '', to: account, value: change, position: 0 }),
        );
        const stakes = of.filter(({ change }) => change < 0n).map(({ account, change }): Stake => ({ owner: account, value: -change }));
        const [lost, gained] = [stakes.reduce((sum, { value }) => sum + value, 0n), gains.reduce((sum, { change }) => sum + change, 0n)];
        const payers = gained > lost ? [...stakes, { owner: nobody, value: gained - lost }] : stakes;
        const burnt = lost > gained && mint !== undefined ? [{ account: nobody, change: lost - gained }] : [];
        return [...gains, ...burnt].flatMap(({ account, change }) =>
          divide(change, payers).map((value, n) => ({
            mint,
            from: payers[n]?.owner ?? nobody,
            to: account,
            value,
            position: derivedPosition(['balance', mint, account]),
          })),
        );
      })
      .filter(({ mint: of, from }) => of !== undefined || from !== nobody);
  }
}

const placeOf = (mint: string | undefined, account: string): string => `${mint ?? ''} ${account}`;
