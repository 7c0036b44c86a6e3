import { type Policy, parsePolicy } from '@weir/policy';
import { advisoryLock, type Pool, PostgresError, prepared, type Queryable, transaction } from '@weir/postgres';
import { isSamePerson } from '@weir/reviews';
import { recordActivity, weir } from '@weir/service-kit';
import type { Policies } from './evidence.ts';

/** The person that changes a policy. Default: Weir itself. */
type Actor = { readonly id: string; readonly name: string };

export interface PolicyChangeRow extends Record<string, unknown> {
  readonly number: number;
  readonly active: string;
  readonly active_by: 'default' | 'file' | 'command';
  readonly shadow: string | null;
  readonly file_hash: string | null;
  readonly changed_at: Date;
}

const columns = 'number, active, active_by, shadow, file_hash, changed_at';

/** Undefined before the first start. */
export async function policyInForce(db: Queryable): Promise<PolicyChangeRow | undefined> {
  const { rows } = await db.query<PolicyChangeRow>(`SELECT ${columns} FROM decision.policy_changes ORDER BY number DESC LIMIT 1`);
  return rows[0];
}

/** The latest first; all, or so many. */
export async function policyChanges(db: Queryable, most?: number): Promise<PolicyChangeRow[]> {
  const { rows } = await db.query<PolicyChangeRow>(`SELECT ${columns} FROM decision.policy_changes ORDER BY number DESC LIMIT $1`, [
    most ?? null,
  ]);
  return rows;
}

/** Takes the text of the policy file or the default. Each text counts once, so that neither undoes a command. */
export async function takePolicy(pool: Pool, text: string, by: 'default' | 'file'): Promise<PolicyChangeRow> {
  const { hash } = parsePolicy(text);
  return change(pool, [text], (last) => {
    if (by === 'file' ? last?.file_hash === hash : last !== undefined && (last.active_by !== 'default' || last.active === hash))
      return last;
    return { shadow: null, ...last, active: hash, active_by: by, file_hash: by === 'file' ? hash : (last?.file_hash ?? null) };
  });
}

/** Puts a policy in force. Throws `PolicyError` for an invalid one. */
export async function activatePolicy(pool: Pool, text: string, by: Actor = weir): Promise<PolicyChangeRow> {
  const { hash } = parsePolicy(text);
  return change(
    pool,
    [text],
    (last) =>
      last?.active === hash && last.active_by === 'command'
        ? last
        : { shadow: null, file_hash: null, ...last, active: hash, active_by: 'command' },
    by,
  );
}

/** A policy that waits for a second person. */
export interface PolicyProposal extends Record<string, unknown> {
  readonly policy_hash: string;
  /** Number of the change that it was compared with. */
  readonly after_change: number;
  readonly proposed_by: string;
  readonly proposed_by_name: string;
  readonly proposed_at: Date;
}

/** Keeps a policy for another person to put in force. It takes the place of an earlier proposal. Throws `PolicyError` for an invalid one. */
export async function proposePolicy(pool: Pool, text: string, by: Actor): Promise<PolicyProposal> {
  const { hash } = parsePolicy(text);
  return transaction(pool, async (tx) => {
    await tx.query('INSERT INTO decision.policies (policy_hash, text) VALUES ($1, $2) ON CONFLICT DO NOTHING', [hash, text]);
    const { rows } = await tx.query<PolicyProposal>(
      `INSERT INTO decision.policy_proposals (policy_hash, after_change, proposed_by, proposed_by_name)
       SELECT $1, coalesce(max(number), 0), $2, $3 FROM decision.policy_changes RETURNING ${proposed}`,
      [hash, by.id, by.name],
    );
    const proposal = onlyRow(rows);
    const at = proposal.proposed_at.getTime();
    await recordActivity(tx, { action: 'policy_proposed', subjectType: 'policy', subject: hash, by, at });
    return proposal;
  });
}

/** The last proposal, unless it was answered, or the policies in force have changed since. */
export async function waitingProposal(db: Queryable): Promise<PolicyProposal | undefined> {
  const { rows } = await db.query<PolicyProposal>(
    `SELECT ${proposed} FROM (SELECT * FROM decision.policy_proposals ORDER BY number DESC LIMIT 1) AS p
     WHERE after_change = (SELECT coalesce(max(number), 0) FROM decision.policy_changes)
       AND NOT EXISTS (SELECT FROM decision.policy_answers a WHERE a.proposal = p.number)`,
  );
  return rows[0];
}

export interface RejectedProposal extends PolicyProposal {
  readonly rejected_by: string;
  readonly rejected_by_name: string;
  readonly rejected_at: Date;
  readonly reason: string;
}

/** Proposals that were rejected or taken back, the latest first, `most` at most. */
export async function rejectedProposals(db: Queryable, most: number): Promise<RejectedProposal[]> {
  const { rows } = await db.query<RejectedProposal>(
    `SELECT ${proposed}, answered_by AS rejected_by, answered_by_name AS rejected_by_name, answered_at AS rejected_at, reason
     FROM decision.policy_answers a JOIN decision.policy_proposals p ON p.number = a.proposal
     WHERE answer = 'rejected' ORDER BY a.proposal DESC LIMIT $1`,
    [most],
  );
  return rows;
}

const proposed = 'policy_hash, after_change, proposed_by, proposed_by_name, proposed_at';

function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('the change was not stored');
  return row;
}

/** Why a proposal cannot be put in force; the message is one line for a person. */
export class ProposalRefused extends Error {
  readonly code: 'NOT_PROPOSED' | 'SAME_PERSON' | 'SUPERSEDED' | 'REJECTED';
  readonly retriable = false;

  constructor(code: ProposalRefused['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Whose hash begins with `start`. Rejects with `ProposalRefused` if it is not the last one. */
async function lastProposal(db: Queryable, start: string): Promise<PolicyProposal & { readonly number: bigint }> {
  const { rows } = await db.query<PolicyProposal & { readonly number: bigint }>(
    `SELECT number, ${proposed} FROM decision.policy_proposals ORDER BY number DESC LIMIT 1`,
  );
  const [proposal] = rows;
  if (proposal?.policy_hash.startsWith(start) !== true)
    throw new ProposalRefused('NOT_PROPOSED', `${start} is not the policy that was proposed last`);
  return proposal;
}

/** A proposal is answered once: of two people at the same time, one is first. Rejects with `ProposalRefused` for the other. */
async function answerProposal(
  tx: Queryable,
  { number }: { readonly number: bigint },
  answer: 'approved' | 'rejected',
  { by, reason = null }: { readonly by: Actor; readonly reason?: string | null },
): Promise<void> {
  const { rowCount } = await tx.query(
    `INSERT INTO decision.policy_answers (proposal, answer, answered_by, answered_by_name, reason) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING`,
    [number, answer, by.id, by.name, reason],
  );
  if (rowCount === 1) return;
  const { rows } = await tx.query<{ answer: string }>('SELECT answer FROM decision.policy_answers WHERE proposal = $1', [number]);
  if (rows[0]?.answer === 'approved')
    throw new ProposalRefused('SUPERSEDED', 'the policies in force changed since it was proposed: propose it again');
  throw new ProposalRefused('REJECTED', 'the proposal was rejected: propose it again');
}

/** Ends the last proposal, whose hash begins with `start`. Whoever proposed it may, too. Rejects with `ProposalRefused`. */
export async function rejectPolicy(pool: Pool, start: string, reason: string, by: Actor): Promise<PolicyProposal> {
  return transaction(pool, async (tx) => {
    const proposal = await lastProposal(tx, start);
    await answerProposal(tx, proposal, 'rejected', { by, reason });
    const { rows } = await tx.query<{ now: Date }>('SELECT now()');
    const { proposed_by, proposed_by_name } = proposal;
    await recordActivity(tx, {
      action: 'policy_rejected',
      subjectType: 'policy',
      subject: proposal.policy_hash,
      by,
      details: { reason, proposed_by, proposed_by_name },
      at: onlyRow(rows).now.getTime(),
    });
    return proposal;
  });
}

/** Puts the proposed policy in force, whose hash begins with `start`. Rejects with `ProposalRefused`. */
export async function approvePolicy(pool: Pool, start: string, by: Actor): Promise<PolicyChangeRow> {
  const proposal = await lastProposal(pool, start);
  if (isSamePerson(by, { id: proposal.proposed_by, name: proposal.proposed_by_name }))
    throw new ProposalRefused('SAME_PERSON', 'another person must approve: whoever proposed it cannot');
  return change(
    pool,
    [],
    (last) => {
      // The people compared it with what was in force.
      if ((last?.number ?? 0) !== proposal.after_change)
        throw new ProposalRefused('SUPERSEDED', 'the policies in force changed since it was proposed: propose it again');
      return { shadow: null, file_hash: null, ...last, active: proposal.policy_hash, active_by: 'command' };
    },
    by,
    {
      details: { proposed_by: proposal.proposed_by, proposed_by_name: proposal.proposed_by_name },
      first: (tx) => answerProposal(tx, proposal, 'approved', { by }),
    },
  );
}

/** Runs a shadow policy beside the active one; null ends it. */
export async function shadowPolicy(pool: Pool, text: string | null, by: Actor = weir): Promise<PolicyChangeRow> {
  const hash = text === null ? null : parsePolicy(text).hash;
  return change(
    pool,
    text === null ? [] : [text],
    (last) => {
      if (last === undefined) throw new Error('no policy is in force yet: start Weir once');
      return last.shadow === hash ? last : { ...last, shadow: hash };
    },
    by,
  );
}

interface Changing {
  readonly by: Actor;
  /** Of the act. */
  readonly details?: Readonly<Record<string, string>>;
  /** Runs before the change, in its transaction. */
  readonly first?: (tx: Queryable) => Promise<void>;
}

type NewChange = Omit<PolicyChangeRow, 'number' | 'changed_at'>;

/** New decisions wait behind a change that waits. A suspended process loses its transaction before. */
const lockTimeoutMs = 7_000;
const lockNotAvailable = '55P03';

/** Waits for running decisions; after its return, none uses the earlier policy. Rejects with `DATABASE_UNAVAILABLE` if one does not end. */
async function change(
  pool: Pool,
  texts: readonly string[],
  next: (last: PolicyChangeRow | undefined) => NewChange | undefined,
  by: Actor = weir,
  more: Omit<Changing, 'by'> = {},
): Promise<PolicyChangeRow> {
  const changing = transaction(pool, (tx) => changeIn(tx, texts, next, { by, ...more }), { lockTimeoutMs });
  return changing.catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== lockNotAvailable) throw error;
    throw new PostgresError('DATABASE_UNAVAILABLE', 'a decision under way does not end: the policy was not changed', { cause: error });
  });
}

async function changeIn(
  tx: Queryable,
  texts: readonly string[],
  next: (last: PolicyChangeRow | undefined) => NewChange | undefined,
  { by, details = {}, first }: Changing,
): Promise<PolicyChangeRow> {
  // `decision.policy_in_force()` shares this lock.
  await tx.query(`SELECT ${advisoryLock('policy-in-force')}`);
  const last = await policyInForce(tx);
  const wanted = next(last);
  if (wanted === undefined) throw new Error('no policy is in force yet: start Weir once');
  if (wanted === last) return last;
  await first?.(tx);
  for (const text of texts) {
    await tx.query('INSERT INTO decision.policies (policy_hash, text) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      parsePolicy(text).hash,
      text,
    ]);
  }
  const { rows } = await tx.query<PolicyChangeRow>(
    `INSERT INTO decision.policy_changes (number, active, active_by, shadow, file_hash) VALUES ($1, $2, $3, $4, $5) RETURNING ${columns}`,
    [(last?.number ?? 0) + 1, wanted.active, wanted.active_by, wanted.shadow, wanted.file_hash],
  );
  const row = onlyRow(rows);
  const act = { subjectType: 'policy', by, at: row.changed_at.getTime() } as const;
  if (row.active !== last?.active)
    await recordActivity(tx, {
      ...act,
      action: 'policy_activated',
      subject: row.active,
      details: { set_by: row.active_by, replaces: last?.active ?? null, ...details },
    });
  if (row.shadow !== (last?.shadow ?? null))
    await recordActivity(tx, { ...act, action: 'policy_shadowed', subject: row.shadow ?? row.active, details: { shadow: row.shadow } });
  return row;
}

/** A stored version by the beginning of its hash; undefined if none or several match. */
export async function keptPolicy(db: Queryable, hash: string): Promise<{ policy_hash: string; text: string } | undefined> {
  const { rows } = await db.query<{ policy_hash: string; text: string }>(
    `SELECT policy_hash, text FROM decision.policies WHERE starts_with(policy_hash, $1) LIMIT 2`,
    [hash],
  );
  return rows.length === 1 ? rows[0] : undefined;
}

/** The texts of all stored versions, none where decision has never run; people write them, so there are some dozens at most. */
export async function keptPolicyTexts(db: Queryable): Promise<string[]> {
  const { rows: found } = await db.query<{ exists: boolean }>("SELECT to_regclass('decision.policies') IS NOT NULL AS exists");
  if (found[0]?.exists !== true) return [];
  const { rows } = await db.query<{ text: string }>('SELECT text FROM decision.policies');
  return rows.map(({ text }) => text);
}

/** Policies by hash, each read and compiled once. */
export class KeptPolicies {
  readonly #known = new Map<string, Policy>();

  /** Throws `PolicyError` when this version of Weir cannot read it. */
  async find(db: Queryable, hash: string): Promise<Policy> {
    const known = this.#known.get(hash);
    if (known !== undefined) return known;
    const { rows } = await db.query<{ text: string }>('SELECT text FROM decision.policies WHERE policy_hash = $1', [hash]);
    if (rows[0] === undefined) throw new Error(`policy ${hash} is not kept here`);
    const policy = parsePolicy(rows[0].text);
    // People write policies: there are some dozens at most.
    if (this.#known.size >= 64) this.#known.clear();
    this.#known.set(hash, policy);
    return policy;
  }
}

/** The policies in force, as of the transaction that decides. */
export class PoliciesInForce {
  readonly #kept = new KeptPolicies();
  readonly #onShadowFault: (error: unknown) => void;
  #last: (Policies & { number: number }) | undefined;

  constructor(onShadowFault: (error: unknown) => void) {
    this.#onShadowFault = onShadowFault;
  }

  /** No policy change takes effect before the transaction ends. */
  async read(tx: Queryable): Promise<Policies> {
    const { rows } = await tx.query<PolicyChangeRow>(prepared('SELECT number, active, shadow FROM decision.policy_in_force()'));
    return this.#of(tx, rows[0]);
  }

  /** For metrics and messages: does not wait for a running change. */
  async look(db: Queryable): Promise<Policies> {
    return this.#of(db, await policyInForce(db));
  }

  async #of(db: Queryable, row: PolicyChangeRow | undefined): Promise<Policies> {
    if (row === undefined) throw new Error('no policy is in force');
    if (this.#last?.number === row.number) return this.#last;
    const active = await this.#kept.find(db, row.active);
    const shadow = row.shadow === null ? null : await this.#kept.find(db, row.shadow).catch(this.#withoutShadow);
    this.#last = { number: row.number, active, shadow };
    return this.#last;
  }

  /** An unreadable shadow policy is left out. A database error is thrown. */
  readonly #withoutShadow = (error: unknown): null => {
    if ((error as { code?: unknown }).code !== 'POLICY_INVALID') throw error;
    this.#onShadowFault(error);
    return null;
  };
}
