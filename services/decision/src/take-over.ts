import type { Codec, ScreeningDecided, ScreeningRequested, ScreeningScored } from '@weir/contracts';
import type { Policy } from '@weir/policy';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { causeName, type MachineCause } from './causes.ts';
import { decidedEvent } from './decided-event.ts';
import type { StoredEvidence } from './evidence.ts';
import { KeptPolicies } from './policies.ts';
import { decidedAgain } from './rederive.ts';
import { lock, type Made, register, save } from './screening-store.ts';
import { storeValues } from './transfer-values.ts';

/** Published decisions that a restored database lacks, of one screening. */
export interface Forgotten {
  readonly screening_id: string;
  /** By revision. */
  readonly decisions: readonly ScreeningDecided[];
  /** The published results of the screening. */
  readonly results: readonly ScreeningScored[];
}

export interface TakenOver {
  readonly taken: readonly ScreeningDecided[];
  /** Without evidence: nothing that is published gives them under a policy that is kept. */
  readonly unexplained: readonly ScreeningDecided[];
  /** Not taken over: a revision before them is missing. */
  readonly left: readonly ScreeningDecided[];
}

/** Revisions that this database lacks. */
export async function findForgotten(db: Queryable, decisions: readonly ScreeningDecided[]): Promise<ScreeningDecided[]> {
  const { rows } = await db.query<{ n: number }>(
    `SELECT u.n::int AS n FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS u(id, revision, n)
     WHERE NOT EXISTS (SELECT FROM decision.decisions d WHERE d.screening_id = u.id AND d.revision = u.revision)`,
    [decisions.map(({ screening_id }) => screening_id), decisions.map(({ revision }) => revision)],
  );
  return rows.flatMap(({ n }) => decisions[n - 1] ?? []);
}

/** Stores published decisions as they stand, with the result or the resolution that they follow from. Nothing is decided again. */
export async function takeOverDecisions(pool: Pool, codec: Codec, forgotten: readonly Forgotten[]): Promise<TakenOver> {
  const kept = new KeptPolicies();
  const of: { taken: ScreeningDecided[]; unexplained: ScreeningDecided[]; left: ScreeningDecided[] } = {
    taken: [],
    unexplained: [],
    left: [],
  };
  for (const one of forgotten) {
    const policies = await policiesOf(pool, kept, one.decisions);
    await transaction(pool, (tx) => takeOver(tx, codec, policies, one, of));
  }
  return of;
}

async function takeOver(
  tx: Queryable,
  codec: Codec,
  policies: ReadonlyMap<string, Policy>,
  { screening_id, decisions, results }: Forgotten,
  of: { taken: ScreeningDecided[]; unexplained: ScreeningDecided[]; left: ScreeningDecided[] },
): Promise<void> {
  const [first] = decisions;
  if (first === undefined) return;
  const known: MachineCause = { kind: 'requested', event: requestOf(first, results[0]) };
  await register(tx, [known]);
  const rows = await lock(tx, [known]);
  const row = rows.get(screening_id);
  if (row === undefined) throw new TypeError('a screening that is there was not found');
  const made: Made[] = [];
  const used = new Set<ScreeningScored>();
  for (const decided of decisions) {
    if (decided.revision !== row.revision + 1) {
      of.left.push(decided);
      continue;
    }
    const { cause, evidence, result } = causeOf(
      codec,
      policies,
      decided,
      results.filter((each) => !used.has(each)),
    );
    if (result !== undefined) used.add(result);
    if (evidence === null && decided.resolution_id === null) of.unexplained.push(decided);
    const policy = policies.get(decided.policy_hash);
    if (result !== undefined && policy !== undefined) await storeValues(tx, policy, [{ kind: 'scored', event: result }], rows);
    made.push({ decided, cause, event: decidedEvent(decided), evidence });
    row.revision = decided.revision;
    row.action = decided.action;
    row.by_person = decided.resolution_id !== null;
    if (result !== undefined) Object.assign(row, { attempt: result.attempt, sequence: result.sequence });
  }
  await save(tx, made, { rows, created: new Map() });
  of.taken.push(...made.map(({ decided }) => decided));
}

interface FoundCause {
  readonly cause: string;
  readonly evidence: StoredEvidence | null;
  readonly result?: ScreeningScored;
}

function causeOf(
  codec: Codec,
  policies: ReadonlyMap<string, Policy>,
  decided: ScreeningDecided,
  results: readonly ScreeningScored[],
): FoundCause {
  if (decided.resolution_id !== null) return { cause: `resolved/${decided.resolution_id}`, evidence: null };
  const bytes = codec.encode('screenings.decided', decided);
  for (const result of [...results, undefined]) {
    const again = decidedAgain(policies, decided, result);
    if (again === undefined || !codec.encode('screenings.decided', again.decided).equals(bytes)) continue;
    if (result !== undefined) return { cause: causeName({ kind: 'scored', event: result }), evidence: again.evidence, result };
    return { cause: decided.revision === 1 ? 'deadline' : `deadline/renews/${decided.revision - 1}`, evidence: again.evidence };
  }
  return { cause: `published/${decided.revision}`, evidence: null };
}

/** Policies that are set after the point are forgotten too. */
async function policiesOf(pool: Pool, kept: KeptPolicies, decisions: readonly ScreeningDecided[]): Promise<Map<string, Policy>> {
  const hashes = new Set(decisions.flatMap(({ policy_hash, shadow_policy_hash }) => [policy_hash, shadow_policy_hash ?? policy_hash]));
  const { rows } = await pool.query<{ policy_hash: string }>('SELECT policy_hash FROM decision.policies WHERE policy_hash = ANY ($1)', [
    [...hashes],
  ]);
  const found = rows.map(async ({ policy_hash }) => [policy_hash, await kept.find(pool, policy_hash)] as const);
  return new Map(await Promise.all(found));
}

/** As far as `register` needs it. A decided screening has no use for its deadline. */
function requestOf(
  { screening_id, kind, transfer, requested_at }: ScreeningDecided,
  result: ScreeningScored | undefined,
): ScreeningRequested {
  return {
    screening_id,
    attempt: 1,
    kind,
    chain: transfer.chain,
    coin: transfer.coin,
    subject_type: 'address',
    subject: '',
    direction: kind === 'deposit' ? 'deposit' : 'withdraw',
    lane: kind,
    fault: null,
    requested_at,
    deadline_at: result?.deadline_at ?? requested_at,
    transfer,
    renews_revision: null,
    warnings: [],
    token_id: null,
  };
}
