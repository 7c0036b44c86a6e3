import { createHmac } from 'node:crypto';
import { compare } from '../combine.ts';
import type { History, HistoryBounds, HistoryRequest, Movement, Side } from '../store.ts';
import { attribution } from '../weights.ts';
import type { Lookup } from './lookup.ts';
import { type Payment, paymentsOf, timeOf } from './payment.ts';
import { Reading } from './reading.ts';
import { maySwap } from './sources.ts';

/** An address that brought part of the side, and whose past is not read yet. */
interface Candidate {
  /** Its part of the side, 0 to 1. */
  importance: number;
  /** In the side's time: the last of its payments that is followed. */
  until: number;
  /** The payer of the subject through whom it was found, and its part of the side without regard to what stands between. */
  readonly through: string;
  mass: number;
  /** Its part of the money of one payer of the sample, 0 to 1. */
  sampled: number;
}

/** The end of the time that a date can hold: the subject is read to its last transfer. */
const endOfTime = 8.64e15;

export type ReadLimits = Pick<
  typeof attribution,
  | 'most_addresses'
  | 'most_transfers'
  | 'least_importance'
  | 'least_usd'
  | 'most_unread'
  | 'addresses_per_round'
  | 'small_addresses_per_round'
  | 'doubtful_addresses'
  | 'doubtful_addresses_in_all'
  | 'sampled_addresses'
>;

/** A subject with both sides of its whole life. */
export interface Life {
  readonly address: string;
  /** Undefined: it has no transfer. */
  readonly history: History | undefined;
}

export async function readLife(lookup: Lookup, address: string): Promise<Life> {
  const requests = [{ address, at: endOfTime, towards: 'past' }] as const;
  return { address, history: (await lookup.histories(requests, subjectBounds)).get(address) };
}

/** Reads what matters most for one side of the subject. */
export async function selectAddresses(lookup: Lookup, life: Life, side: Side, limits: ReadLimits = attribution): Promise<Reading> {
  const { address, history } = life;
  const selection = new Selection(lookup, address, limits, new Reading(side, await lookup.labelsOf([address])));
  await selection.start(history);
  while (await selection.round());
  return selection.reading;
}

class Selection {
  readonly reading: Reading;
  readonly #lookup: Lookup;
  readonly #subject: string;
  readonly #limits: ReadLimits;
  readonly #candidates = new Map<string, Candidate>();
  readonly #transactions = new Set<string>();
  /** An address is read again if it paid later than was known. */
  #reads = 0;
  /** Part of the side. */
  #leastImportance = 0;
  /** The same that counts by its value. */
  #leastMass = 1;
  /** Parts of the side that no further reading makes known, by payer of the subject: hubs were not listed whole. */
  readonly #cut = new Map<string, number>();
  /** Addresses that were read to end doubts. */
  #doubted = 0;
  /** Addresses that were read for the sample. */
  #sampled = 0;
  #drawKey: Uint8Array = new Uint8Array();

  constructor(lookup: Lookup, subject: string, limits: ReadLimits, reading: Reading) {
    this.#lookup = lookup;
    this.#subject = subject;
    this.#limits = limits;
    this.reading = reading;
  }

  async start(history: History | undefined): Promise<void> {
    this.reading.add(this.#subject, Infinity, history);
    this.#reads++;
    await this.#readLabels();
    if (this.#countsUsd) this.#drawKey = await this.#lookup.drawKey();
    const income = this.reading.incomeOf(this.#subject).reduce((sum, { usd }) => sum + usd, this.reading.restOf(this.#subject).usd);
    this.#leastMass = income > 0 ? this.#limits.least_usd / income : 1;
    this.#leastImportance = this.#countsUsd ? Math.min(this.#limits.least_importance, this.#leastMass) : this.#limits.least_importance;
    await this.#follow([[this.#subject, { importance: 1, until: Infinity, through: '', mass: 1, sampled: 0 }]]);
  }

  /** Nobody answers for what others do with his money: limits in USD count it on no side but that of its receiver. */
  get #countsUsd(): boolean {
    return this.reading.side === 'in';
  }

  /** False: nothing is left to read, or a limit is reached. */
  async round(): Promise<boolean> {
    const { reading } = this;
    const next = this.#next();
    if (next.length === 0 || reading.transfers >= this.#limits.most_transfers) return false;
    await this.#read(next, boundsOf(next[0]?.[1].importance ?? 0));
    const deep = next.filter(
      ([address, { importance }]) => importance >= attribution.deep_importance && reading.isCutThoughFewPaid(address),
    );
    if (deep.length > 0) await this.#read(deep, subjectBounds);
    for (const [address] of next) this.#candidates.delete(address);
    await this.#follow(next);
    return true;
  }

  async #read(candidates: readonly (readonly [address: string, candidate: Candidate])[], bounds: HistoryBounds): Promise<void> {
    const requests = candidates.map(([address, { until }]) => requestOf(address, until, this.reading.side));
    const histories = await this.#lookup.histories(requests, bounds);
    this.#reads += requests.length;
    for (const [address, { until }] of candidates) this.reading.add(address, until, histories.get(address));
  }

  #next(): (readonly [address: string, candidate: Candidate])[] {
    const { most_addresses, addresses_per_round, small_addresses_per_round } = this.#limits;
    const left = Math.max(most_addresses - this.#reads, 0);
    // There may be thousands that are not, which need no order yet.
    const important = [...this.#candidates].filter(([, { importance }]) => importance >= this.#leastImportance);
    if (important.length > 0) return inOrder(important).slice(0, Math.min(addresses_per_round, left));
    const most = Math.min(small_addresses_per_round, left);
    const small = this.#smallOnes();
    if (small.length > 0) return small.slice(0, most);
    const ordered = inOrder([...this.#candidates]);
    const doubtful = this.#doubtfulOnes(ordered);
    return (doubtful.length > 0 ? doubtful : this.#sampledOnes(ordered)).slice(0, most);
  }

  /** As many small ones as bring the unread part down to the limit, if half of what they brought becomes known; at most those of a round. */
  #smallOnes(): (readonly [address: string, candidate: Candidate])[] {
    const { most_unread, addresses_per_round, small_addresses_per_round } = this.#limits;
    // Of thousands a few hundred are read, so numbers are put in order, and candidates only once they are chosen.
    const falling = Float64Array.from(this.#candidates.values(), ({ importance }) => importance).sort((a, b) => b - a);
    const unread = falling.reduce((sum, importance) => sum + importance, 0);
    if (unread <= most_unread) return [];
    let [missing, needed] = [2 * (unread - most_unread), 0];
    while (needed < falling.length && missing > 0) missing -= falling[needed++] ?? 0;
    const count = Math.min(Math.max(needed, addresses_per_round), small_addresses_per_round, falling.length);
    const least = falling[count - 1] ?? 0;
    return inOrder([...this.#candidates].filter(([, { importance }]) => importance >= least)).slice(0, count);
  }

  /**
   * Likewise where much money through one payer is in doubt, for it counts at any part of the side; if one round can end the doubt. One doubt
   * that is left counts as much as several, so there is a limit for all of them.
   */
  #doubtfulOnes(ordered: readonly (readonly [address: string, candidate: Candidate])[]): typeof ordered {
    if (!this.#countsUsd) return [];
    const next = [...Map.groupBy(ordered, ([, { through }]) => through)].flatMap(([payer, behind]) => {
      const unread = behind.reduce((sum, [, { mass }]) => sum + mass, this.#cut.get(payer) ?? 0);
      if (unread < this.#leastMass) return [];
      let missing = unread - this.#leastMass / 2;
      const needed = behind.findIndex(([, { mass }]) => (missing -= mass) <= 0) + 1;
      return needed <= this.#limits.doubtful_addresses ? behind.slice(0, needed) : [];
    });
    if (this.#doubted + next.length > this.#limits.doubtful_addresses_in_all) return [];
    this.#doubted += next.length;
    return next;
  }

  /** Of the small payers of the subject that are left, a few stand for all: they are followed as far as most of their money is one stream. */
  #sampledOnes(ordered: readonly (readonly [address: string, candidate: Candidate])[]): typeof ordered {
    const { sampled_addresses } = this.#limits;
    if (!this.#countsUsd) return [];
    if (this.#sampled === 0) {
      const payers = ordered.filter(([address, { through }]) => address === through);
      const drawn = drawByMass(payers, sampled_addresses, this.#drawKey);
      for (const [, candidate] of drawn) candidate.sampled = 1;
      this.reading.addSample(drawn.map(([address]) => address));
    }
    const left = attribution.sampled_steps * sampled_addresses - this.#sampled;
    const next = ordered.filter(([, { sampled }]) => sampled >= attribution.sampled_part).slice(0, Math.max(left, 0));
    this.#sampled += next.length;
    return next;
  }

  async #follow(read: readonly (readonly [address: string, candidate: Candidate])[]): Promise<void> {
    await this.#readLabels();
    const shares = read.flatMap(([address, candidate]) => this.#sharesOf(address, candidate));
    const swaps = shares.filter(({ payment, share }) => this.#mayBeSwap(payment, share));
    const swapped = await this.#readTransactions(swaps);
    for (const share of [...shares, ...swapped]) this.#want(share);
  }

  async #readLabels(): Promise<void> {
    await this.#lookup.labelsOf(this.reading.takeUnlabelled());
  }

  /** The address's part of the side, by what it had received until then. */
  #sharesOf(address: string, { importance, until, through, mass, sampled }: Candidate): Share[] {
    const isSubject = address === this.#subject;
    const behind = this.reading.isProbableService(address) && !isSubject ? attribution.probable_service_weight : 1;
    const known = this.reading.isBusiness(address) && !isSubject ? 0 : mass;
    const income = this.reading.incomeOf(address).filter(({ at }) => at <= until);
    const rest = this.reading.restOf(address).usd;
    const total = income.reduce((sum, { usd }) => sum + usd, 0) + rest;
    if (!isSubject && total > 0) this.#cut.set(through, (this.#cut.get(through) ?? 0) + (known * rest) / total);
    return income.map((payment) => {
      const part = total > 0 ? payment.usd / total : 0;
      return {
        payment,
        share: importance * behind * part,
        through: isSubject ? payment.payer : through,
        mass: known * part,
        sampled: sampled * behind * part,
      };
    });
  }

  #mayBeSwap({ payer, movement }: Payment, share: number): boolean {
    const labels = this.reading.labels.get(payer) ?? [];
    return share >= this.#leastImportance && !this.#transactions.has(movement.tx) && maySwap(labels, this.#lookup.hasContracts);
  }

  /** The payments to services in the swaps' transactions, each with its part of what the swap brought. */
  async #readTransactions(swaps: readonly Share[]): Promise<Share[]> {
    const shares = new Map<string, Omit<Share, 'payment'>>();
    for (const { payment, share, mass, through, sampled } of swaps) {
      const before = shares.get(payment.movement.tx);
      shares.set(payment.movement.tx, {
        share: share + (before?.share ?? 0),
        mass: mass + (before?.mass ?? 0),
        through,
        sampled: sampled + (before?.sampled ?? 0),
      });
    }
    if (shares.size === 0) return [];
    const found = await this.#lookup.movementsIn([...shares.keys()]);
    for (const movement of [...found.values()].flat()) this.reading.addMovement(movement);
    const owners = this.reading.side === 'in' ? await this.#readVaults(swaps) : [];
    for (const tx of shares.keys()) this.#transactions.add(tx);
    await this.#readLabels();
    const paid = [...found].flatMap(([tx, movements]) => {
      const legs = paymentsOf(movements, this.reading.side).filter(({ payee }) => this.reading.standing(payee).kind === 'service');
      const total = legs.reduce((sum, { usd }) => sum + usd, 0);
      const { share, mass, through, sampled } = shares.get(tx) ?? { share: 0, mass: 0, through: '', sampled: 0 };
      return legs.map((payment) => {
        const part = total > 0 ? payment.usd / total : 0;
        return { payment, share: share * part, mass: mass * part, through, sampled: sampled * part };
      });
    });
    return [...paid, ...owners];
  }

  /** Who gave shares of a vault back for its payments, and who had paid it for shares. */
  async #readVaults(swaps: readonly Share[]): Promise<Share[]> {
    const { vaults } = this.reading;
    const byVault = Map.groupBy(swaps, ({ payment }) => vaultKey(payment.movement.tx, payment.payer));
    const txids = [...new Set(swaps.map(({ payment }) => payment.movement.tx))];
    const deposits = await vaults.read(this.#lookup, txids, (tx, coin) => byVault.has(vaultKey(tx, coin)));
    const found = deposits.length > 0 ? await this.#lookup.movementsIn(deposits) : new Map<string, readonly Movement[]>();
    const movements = [...found.values()].flat();
    for (const movement of movements) this.reading.addMovement(movement);
    await this.#readLabels();
    const payments = paymentsOf(movements, 'in');
    return [...byVault.values()].flat().flatMap((share) => {
      const { payer: vault, payee, movement } = share.payment;
      const customers = vaults.customersOf(movement.tx, vault);
      const depositors = customers.length > 0 ? payments.filter((one) => one.payee === vault) : [];
      const others = customers.filter((customer) => customer !== payee);
      const sources = [...others.map((payer) => ({ ...share.payment, payer })), ...depositors];
      return sources.map((payment) => ({ ...share, payment, share: share.share / sources.length, mass: share.mass / sources.length }));
    });
  }

  #want({ payment: { payer, at }, share, mass, through, sampled }: Share): void {
    if (payer === this.#subject || !this.reading.isFollowed(payer) || this.reading.covers(payer, at)) return;
    const candidate = this.#candidates.get(payer) ?? { importance: 0, until: -Infinity, through, mass: 0, sampled: 0 };
    candidate.importance += share;
    candidate.mass += mass;
    candidate.sampled += sampled;
    candidate.until = Math.max(candidate.until, at);
    this.#candidates.set(payer, candidate);
  }
}

/** The most important first. */
function inOrder<Item extends readonly [address: string, candidate: Candidate]>(candidates: readonly Item[]): Item[] {
  return candidates.toSorted(([a, one], [b, other]) => other.importance - one.importance || compare(a, b));
}

const subjectBounds = { largest: attribution.subject_transfers, nearest: attribution.subject_transfers };
/** Money that is not listed is unread: of a small part of the side, a small part. */
function boundsOf(importance: number): HistoryBounds {
  const { least_transfers, transfers_by_share, largest_transfers, nearest_transfers } = attribution;
  const most = Math.max(Math.ceil(importance * transfers_by_share), least_transfers);
  return { largest: Math.min(most, largest_transfers), nearest: Math.min(most, nearest_transfers) };
}

function vaultKey(tx: string, vault: string): string {
  return `${tx}\n${vault}`;
}

interface Share {
  readonly payment: Payment;
  /** Of the side, 0 to 1. */
  readonly share: number;
  readonly through: string;
  readonly mass: number;
  readonly sampled: number;
}

/**
 * Each stands for as much money, in an order that only the key tells; all if there are no more. The same payers and the same key are the same
 * draw.
 */
function drawByMass<Item extends readonly [address: string, candidate: Candidate]>(
  payers: readonly Item[],
  count: number,
  key: Uint8Array,
): Item[] {
  if (payers.length <= count) return [...payers];
  const step = payers.reduce((sum, [, { mass }]) => sum + mass, 0) / count;
  let missing = step / 2;
  return payers
    .map((payer) => [createHmac('sha256', key).update(payer[0]).digest('hex'), payer] as const)
    .toSorted(([a], [b]) => compare(a, b))
    .map(([, payer]) => payer)
    .filter(([, { mass }]) => {
      missing -= mass;
      if (missing > 0) return false;
      while (missing <= 0) missing += step;
      return true;
    });
}

function requestOf(address: string, until: number, side: Side): HistoryRequest {
  return { address, at: timeOf(until, side), towards: side === 'in' ? 'past' : 'future' };
}
