import { type Codec, isSameQuestion, type ReviewResolved, type ScreeningDecided, type ScreeningScored } from '@weir/contracts';
import type { Policy } from '@weir/policy';
import { evidenceOf, type StoredEvidence, toDecision } from './evidence.ts';
import { decidedByPeople } from './resolved.ts';

/** A decision of the audit log. */
export interface LoggedDecision {
  /** Named in problems, such as `entry 12`. */
  readonly place: string;
  readonly decided: ScreeningDecided;
  /** Fields that its version did not have yet. */
  readonly unknownFields: readonly string[];
}

/** The results and resolutions of one screening that no decision has used, and its decisions that follow from none so far. */
interface Screening {
  readonly results: ScreeningScored[];
  readonly resolutions: ReviewResolved[];
  readonly open: LoggedDecision[];
}

/**
 * Makes each decision again from the results, resolutions and policies of the same log, and compares the bytes. Events may come in any
 * order, and each result or resolution counts for one decision. Memory grows with what has no counterpart yet.
 */
export class Rederivation {
  readonly #codec: Codec;
  readonly #policies: ReadonlyMap<string, Policy>;
  readonly #screenings = new Map<string, Screening>();
  #count = 0;

  constructor(codec: Codec, policies: ReadonlyMap<string, Policy>) {
    this.#codec = codec;
    this.#policies = policies;
  }

  /** Decisions so far. */
  get count(): number {
    return this.#count;
  }

  seeDecision(decision: LoggedDecision): void {
    this.#count += 1;
    this.#change(decision.decided.screening_id, ({ open }) => open.push(decision));
  }

  seeResult(result: ScreeningScored): void {
    this.#change(result.screening_id, ({ results }) => results.push(result));
  }

  seeResolution(resolution: ReviewResolved): void {
    this.#change(resolution.screening_id, ({ resolutions }) => resolutions.push(resolution));
  }

  /** One line for each decision that does not follow. */
  *problems(): Generator<string, void, void> {
    for (const screening of this.#screenings.values())
      for (const { place, decided } of screening.open) {
        const what = `${place}: decision ${decided.revision} of screening ${decided.screening_id} (${decided.action})`;
        yield `${what} does not follow: ${this.#why(decided, screening)}`;
      }
  }

  #change(id: string, add: (screening: Screening) => void): void {
    const screening = this.#screenings.get(id) ?? { results: [], resolutions: [], open: [] };
    add(screening);
    const open = screening.open.filter((decision) => !this.#follows(decision, screening));
    screening.open.splice(0, screening.open.length, ...open);
    if (screening.open.length + screening.results.length + screening.resolutions.length === 0) this.#screenings.delete(id);
    else this.#screenings.set(id, screening);
  }

  #follows(decision: LoggedDecision, { results, resolutions }: Screening): boolean {
    const { decided } = decision;
    if (decided.resolution_id !== null)
      return takeFirst(resolutions, (resolution) => this.#isSame(decision, byPeople(decided, resolution)));
    return (
      takeFirst(results, (result) => this.#isSame(decision, this.#again(decided, result))) || this.#isSame(decision, this.#again(decided))
    );
  }

  #again(decided: ScreeningDecided, result?: ScreeningScored): ScreeningDecided | undefined {
    return decidedAgain(this.#policies, decided, result)?.decided;
  }

  #isSame({ decided, unknownFields }: LoggedDecision, again: ScreeningDecided | undefined): boolean {
    if (again === undefined) return false;
    const known = Object.fromEntries(
      Object.entries(again).map(([name, value]) => [name, unknownFields.includes(name) ? decided[name as keyof ScreeningDecided] : value]),
    );
    const bytes = (record: ScreeningDecided): Buffer => this.#codec.encode('screenings.decided', record);
    return bytes(decided).equals(bytes(known as unknown as ScreeningDecided));
  }

  #why(decided: ScreeningDecided, { results, resolutions }: Screening): string {
    if (decided.resolution_id !== null) return whyNotByPeople(decided, resolutions);
    const unknown = [decided.policy_hash, decided.shadow_policy_hash].find((hash) => hash !== null && !this.#policies.has(hash));
    if (unknown != null) return `policy ${unknown} is not known`;
    const made = [...results, undefined].flatMap((result) => this.#again(decided, result) ?? []);
    const [first = made[0]] = made.filter(({ outcome, action }) => outcome === decided.outcome && action !== decided.action);
    return first === undefined || results.length === 0
      ? 'the log has no result for it'
      : `its evidence and policy ${decided.policy_hash} give ${first.action} (${first.reason_codes.join(' ')})`;
  }
}

/** The decision that follows from a result; without one, as the deadline decides. Undefined where a policy is not known. */
export function decidedAgain(
  policies: ReadonlyMap<string, Policy>,
  decided: ScreeningDecided,
  result: ScreeningScored | undefined,
): { readonly decided: ScreeningDecided; readonly evidence: StoredEvidence } | undefined {
  const active = policies.get(decided.policy_hash);
  const shadow = decided.shadow_policy_hash === null ? null : policies.get(decided.shadow_policy_hash);
  if (active === undefined || shadow === undefined) return undefined;
  if (result !== undefined && !isSameQuestion(result.transfer, decided.transfer)) return undefined;
  const evidence = evidenceOf(result, decided.transfer, decided.history);
  return { decided: toDecision({ active, shadow }, { ...decided, evidence }), evidence };
}

/** Decisions by people keep what was known of the result. */
function byPeople(decided: ScreeningDecided, resolution: ReviewResolved): ScreeningDecided {
  const { outcome, score, risk_level } = decided;
  const of = { policyHash: decided.policy_hash, decidedAt: decided.decided_at };
  return { ...decidedByPeople(resolution, decided, { resolutions: new Map(), earlier: new Map() }, of), outcome, score, risk_level };
}

function whyNotByPeople({ resolution_id }: ScreeningDecided, resolutions: readonly ReviewResolved[]): string {
  const found = resolutions.find((resolution) => resolution.resolution_id === resolution_id);
  if (found === undefined) return `the log has no resolution ${resolution_id}`;
  return `resolution ${resolution_id} says ${found.action} to revision ${found.revision}`;
}

/** Removes the first that passes. */
function takeFirst<T>(items: T[], passes: (item: T) => boolean): boolean {
  const at = items.findIndex(passes);
  if (at >= 0) items.splice(at, 1);
  return at >= 0;
}
