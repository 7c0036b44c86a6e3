import {
  type Checkpoint,
  consistencyProof,
  type Frontier,
  hashesOfConsistency,
  hashesOfRoot,
  NoteError,
  openCheckpoint,
  type OpenedCheckpoint,
  rootOf,
  treeRoot,
  type VerifierKey,
  verifyConsistency,
} from '@weir/audit-log';
import { advisoryLock, type Pool, prepared, type Queryable, transaction } from '@weir/postgres';
import type { LastCheckpoint } from './last-checkpoint.ts';
import { readHashes, TreeHashError } from './tree-hashes.ts';

/** The database is not what was signed before: rolled back, altered, or signed by other keys. Nothing is signed until a person has looked. */
export class CheckpointRefused extends Error {
  readonly code = 'AUDIT_CHECKPOINT_REFUSED';
  readonly retriable = false;
}

/** Signs checkpoints with keys that are not in the database. */
export interface CheckpointSigner {
  /** Name of the log, and of its keys. */
  readonly origin: string;
  /** All of them sign. */
  readonly keys: readonly VerifierKey[];
  sign(checkpoint: Checkpoint): Promise<string>;
}

export interface SignedCheckpoint {
  readonly size: number;
  readonly root: Buffer;
  /** The signed note. */
  readonly note: string;
}

interface State {
  readonly frontier: Frontier;
  /** As the database has it; it is verified before use. */
  readonly published: string | null;
}

/** Signs the tree, at most once per size, and only if it begins with the tree that was signed last. */
export class Checkpoints {
  readonly #pool: Pool;
  readonly #signer: CheckpointSigner;
  readonly #last: LastCheckpoint;
  #latest: SignedCheckpoint | undefined;
  #running: Promise<void> | undefined;

  constructor({ pool, signer, last }: { pool: Pool; signer: CheckpointSigner; last: LastCheckpoint }) {
    this.#pool = pool;
    this.#signer = signer;
    this.#last = last;
  }

  /** Undefined before the first. */
  get latest(): SignedCheckpoint | undefined {
    return this.#latest;
  }

  /** Rejects with `CheckpointRefused`. Calls during a run share it. */
  sign(): Promise<void> {
    this.#running ??= this.#signGrowth().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #signGrowth(): Promise<void> {
    if (!this.#isSigned(await readState(this.#pool))) await transaction(this.#pool, (tx) => this.#signIn(tx));
  }

  /** Whether the latest is that of the tree, in the database and outside. Its growth was verified before it was signed. */
  #isSigned({ frontier, published }: State): boolean {
    const latest = this.#latest;
    if (latest === undefined || latest.size !== frontier.size || latest.note !== published || latest.note !== this.#last.read())
      return false;
    return latest.root.equals(rootOf(frontier));
  }

  async #signIn(tx: Queryable): Promise<void> {
    const { rows: locks } = await tx.query<{ free: boolean }>(`SELECT ${advisoryLock('audit-checkpoint', 'try')} AS free`);
    // Another replica signs.
    if (locks[0]?.free !== true) return;
    const { frontier, published } = await readState(tx);
    const kept = this.#last.read();
    const own = kept === undefined ? undefined : this.#open(kept, 'the last checkpoint, kept outside the database,');
    const other = published === null ? undefined : this.#open(published, 'the checkpoint in the database');
    for (const earlier of own?.note === other?.note ? [own] : [own, other]) await requireGrowth(tx, earlier, frontier);
    const before = (own?.size ?? -1) >= (other?.size ?? -1) ? own : other;
    const latest = before?.size === frontier.size ? before : await this.#signed(frontier);
    // First outside the database: what is published is never forgotten.
    if (kept !== latest.note) this.#last.write(latest.note);
    if (published !== latest.note) await publish(tx, latest, this.#signer);
    this.#latest = latest;
  }

  async #signed(frontier: Frontier): Promise<SignedCheckpoint> {
    const checkpoint = { origin: this.#signer.origin, size: frontier.size, root: rootOf(frontier) };
    return { ...checkpoint, note: await this.#signer.sign(checkpoint) };
  }

  #open(note: string, what: string): SignedCheckpoint {
    try {
      const opened: OpenedCheckpoint = openCheckpoint(note, this.#signer.keys);
      return { size: opened.size, root: opened.root, note };
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      throw new CheckpointRefused(`${what} is not signed by the keys of ${this.#signer.origin}; bring back the key that signed it`, {
        cause: error,
      });
    }
  }
}

async function readState(tx: Queryable): Promise<State> {
  const { rows } = await tx.query<{ size: bigint; frontier: Buffer[]; note: string | null }>(
    prepared('SELECT tree.size, tree.frontier, checkpoint.note FROM audit.tree LEFT JOIN audit.checkpoint ON true'),
  );
  const [row] = rows;
  if (row === undefined) throw new CheckpointRefused('audit.tree has lost its row');
  return { frontier: { size: Number(row.size), hashes: row.frontier }, published: row.note };
}

/** The frontier of the stored tree. */
export async function readTree(db: Queryable): Promise<Frontier> {
  return (await readState(db)).frontier;
}

/** The stored hashes must give the root that is signed now, and the one that was signed then. */
export async function requireGrowth(tx: Queryable, earlier: SignedCheckpoint | undefined, frontier: Frontier): Promise<void> {
  const { size } = frontier;
  const root = rootOf(frontier);
  const first = earlier ?? { size: 0, root: rootOf({ size: 0, hashes: [] }) };
  if (first.size > size)
    throw new CheckpointRefused(`the tree has ${size} leaves, and a checkpoint of ${first.size} was signed: the database was rolled back`);
  try {
    const read = await readHashes(tx, [...hashesOfRoot(size), ...hashesOfConsistency(first.size, size)]);
    const proof = consistencyProof(first.size, size, read);
    if (treeRoot(size, read).equals(root) && verifyConsistency({ first, second: { size, root }, proof })) return;
  } catch (error) {
    if (!(error instanceof TreeHashError)) throw error;
    throw new CheckpointRefused(error.message, { cause: error });
  }
  throw new CheckpointRefused(`the tree of ${size} leaves does not begin with the signed tree of ${first.size}: the database was altered`);
}

async function publish(tx: Queryable, { size, note }: SignedCheckpoint, { keys }: CheckpointSigner): Promise<void> {
  await tx.query(
    prepared(`INSERT INTO audit.checkpoint (size, note, keys) VALUES ($1, $2, $3)
       ON CONFLICT (id) DO UPDATE SET size = excluded.size, note = excluded.note, keys = excluded.keys, signed_at = excluded.signed_at`),
    [size, note, keys.map(({ text }) => text).join('\n')],
  );
}
