import { addFlows, beyond, flowOf, noFlow, shareOf } from '../flow.ts';
import type { Flow, History, Label, Movement, Side } from '../store.ts';
import { attribution, sideWeights } from '../weights.ts';
import { withoutLoans } from './loans.ts';
import { MovementSet } from './movement-set.ts';
import { partiesOf, type Payment, paymentsOf } from './payment.ts';
import type { Role } from './solve.ts';
import { type Sighting, type Sources, type Standing, standingOf } from './sources.ts';
import { Vaults } from './vaults.ts';

export type Labels = ReadonlyMap<string, readonly Label[]>;

interface ReadAddress {
  readonly history: History;
  /** In the side's time. */
  readonly until: number;
}

/** The transfers and addresses read so far for one side of a subject. */
export class Reading {
  readonly side: Side;
  readonly labels: Labels;
  readonly vaults = new Vaults();
  readonly #movements = new MovementSet();
  readonly #read = new Map<string, ReadAddress>();
  readonly #standings = new Map<string, Standing>();
  /** Payers of the subject that stand for all its small ones that were not read. */
  readonly sample = new Set<string>();
  #unlabelled = new Set<string>();

  constructor(side: Side, labels: Labels) {
    this.side = side;
    this.labels = labels;
  }

  /** Addresses whose transfers were read. */
  get addresses(): number {
    return this.#read.size;
  }

  get transfers(): number {
    return this.#movements.size;
  }

  /** `until`: in the side's time. */
  add(address: string, until: number, history: History = noHistory): void {
    this.#read.set(address, { history, until });
    for (const movement of history.movements) this.addMovement(movement);
  }

  addMovement(movement: Movement): void {
    if (!this.#movements.add(movement)) return;
    this.#unlabelled.add(movement.from);
    this.#unlabelled.add(movement.to);
  }

  addSample(payers: readonly string[]): void {
    for (const payer of payers) this.sample.add(payer);
  }

  /** Both ends of the transfers added since the last call, whose labels must be read before their standing counts. */
  takeUnlabelled(): ReadonlySet<string> {
    const taken = this.#unlabelled;
    this.#unlabelled = new Set();
    return taken;
  }

  standing(address: string): Standing {
    const known = this.#standings.get(address);
    if (known !== undefined) return known;
    const standing = standingOf(this.labels.get(address) ?? []);
    this.#standings.set(address, standing);
    return standing;
  }

  /** Its money has a past: neither a service nor a sure source. */
  isFollowed(address: string): boolean {
    return this.standing(address).kind === 'other' || this.isSuspected(address);
  }

  isSuspected(address: string): boolean {
    const standing = this.standing(address);
    return standing.kind === 'source' && standing.suspected;
  }

  /** What the address received, as far as it is listed with it. */
  incomeOf(address: string): Payment[] {
    const { movements } = this.#read.get(address)?.history ?? noHistory;
    const listed = movements.filter((movement) => !this.#isWithToken(movement));
    const received = listed.filter((movement) => partiesOf(movement, this.side)[1] === address);
    const txids = new Set(received.map(({ tx }) => tx));
    const isLoanPossible = listed.some((movement) => partiesOf(movement, this.side)[0] === address && txids.has(movement.tx));
    if (!isLoanPossible) return paymentsOf(received, this.side);
    const payments = withoutLoans(paymentsOf(listed, this.side), (other) => !this.isFollowed(other));
    return payments.filter(({ payee }) => payee === address);
  }

  /** Whether what the address paid at a time of the side can be followed. */
  covers(address: string, at: number): boolean {
    const read = this.#read.get(address);
    return read !== undefined && at <= read.until;
  }

  /** Tokens are nobody's counterparties. */
  movements(): Movement[] {
    return this.#movements.values().filter((movement) => !this.#isWithToken(movement));
  }

  /** What the address received (or sent) and is not among the movements. */
  restOf(address: string): Flow {
    return this.#read.get(address)?.history.rest[this.side] ?? noFlow;
  }

  peersOf(address: string): History['peers'] {
    return (this.#read.get(address)?.history ?? noHistory).peers;
  }

  isProbableService(address: string): boolean {
    const peers = this.peersOf(address);
    return Math.min(peers.in, peers.out) >= attribution.probable_service_peers;
  }

  /** An unlabelled one. */
  isBusiness(address: string): boolean {
    const peers = this.peersOf(address);
    return Math.min(peers.in, peers.out) >= sideWeights.service_peers;
  }

  /** Not listed whole, though few paid it. */
  isCutThoughFewPaid(address: string): boolean {
    return this.restOf(address).transfers > 0 && this.peersOf(address)[this.side] < attribution.probable_service_peers;
  }

  /** Every payment by a source, also to others than the subject. `movements`: as of this reading. */
  sightings(movements: readonly Movement[]): Sighting[] {
    return movements.flatMap((movement) => {
      const standing = this.standing(partiesOf(movement, this.side)[0]);
      return standing.kind === 'source' ? [{ label: standing.label, usd: movement.usd ?? 0 }] : [];
    });
  }

  /**
   * The subject is followed whatever its own labels say: they count by themselves. `suspicions`: whether a suspected source pays its own
   * money (`label`), or what it received (`trace`).
   */
  roles(subject: string, sources: Sources, movements: readonly Movement[], suspicions: 'label' | 'trace'): (address: string) => Role {
    const known = new Map<string, Role>();
    const income = this.#incomes(movements);
    const isOwn = (address: string): boolean => address === subject || (suspicions === 'trace' && this.isFollowed(address));
    return (address) => {
      const before = known.get(address);
      if (before !== undefined) return before;
      const flow = income.get(address) ?? noFlow;
      const role = this.#roleOf(address, sources, { isOwn: isOwn(address), isSubject: address === subject, income: flow });
      known.set(address, role);
      return role;
    };
  }

  #isWithToken({ from, to }: Movement): boolean {
    return this.standing(from).kind === 'token' || this.standing(to).kind === 'token';
  }

  #roleOf(address: string, sources: Sources, { isOwn, isSubject, income }: { isOwn: boolean; isSubject: boolean; income: Flow }): Role {
    const standing = this.standing(address);
    if (!isOwn && standing.kind === 'source') return { kind: 'source', tag: sources.tagOf(standing.label) };
    if (!isOwn && standing.kind === 'service') return { kind: 'service' };
    const read = this.#read.get(address);
    if (read === undefined) return { kind: 'unread' };
    return {
      kind: 'wallet',
      probableService: !isSubject && this.isProbableService(address),
      business: this.isBusiness(address),
      readUntil: read.until,
      unreadShare: unreadShareOf(address, this.side, read.history, income),
    };
  }

  /** Of the addresses that are not listed whole. */
  #incomes(movements: readonly Movement[]): Map<string, Flow> {
    const flows = new Map(
      [...this.#read].filter(([, { history }]) => history.rest[this.side].transfers > 0).map(([address]) => [address, noFlow]),
    );
    if (flows.size === 0) return flows;
    for (const movement of movements) {
      const [, payee] = partiesOf(movement, this.side);
      const flow = flows.get(payee);
      if (flow !== undefined) flows.set(payee, addFlows(flow, flowOf(movement.usd)));
    }
    return flows;
  }
}

const noHistory: History = { movements: [], rest: { in: noFlow, out: noFlow }, peers: { in: 0, out: 0 } };

/** `income`: also from transfers that only the payers list. */
function unreadShareOf(address: string, side: Side, { movements, rest }: History, income: Flow): number {
  if (rest[side].transfers === 0) return 0;
  const received = movements.filter((movement) => partiesOf(movement, side)[1] === address);
  const listed = received.reduce((flow, { usd }) => addFlows(flow, flowOf(usd)), noFlow);
  const whole = addFlows(listed, rest[side]);
  return shareOf(beyond(whole, income), whole);
}
