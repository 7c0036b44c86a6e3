import { entryProblem, erasedSalt, hashLength, leafHash, missingLeaf, saltLength, TreeBuilder } from '@weir/audit-log';
import type { Queryable } from '@weir/postgres';
import { NodeCheck } from './verify-nodes.ts';
import { findStored, readStoredEntries, readStoredLeaves, type StoredEntry, type StoredLeaf, type StoredLeaves } from './stored-rows.ts';

/** A part of the log, as it stands in the database. */
export interface StoredLog {
  /** Leaves whose rows follow one another from the first on. */
  readonly size: number;
  /** Roots of the sizes asked for; empty of sizes behind a missing row. */
  readonly roots: ReadonlyMap<number, Buffer>;
  /** False where `isEnded` ended it. */
  readonly isWhole: boolean;
}

export interface VerifyOptions {
  /** Sizes of the tree whose roots are wanted. */
  readonly sizes: readonly number[];
  readonly onProblem: (text: string) => void;
  /** `fits`: whether it is the one of its leaf. */
  readonly onEntry?: (entry: StoredEntry, fits: boolean) => Promise<void>;
  /** Called between rows of leaves. */
  readonly isEnded?: (done: number, total: number) => boolean;
}

/**
 * Computes the leaf of every entry and the whole tree again, and compares each row of `entries`, `leaves`, `nodes` and `tree` with it. Reads
 * page by page, also while the writer goes on.
 */
export async function verifyStored(db: Queryable, options: VerifyOptions): Promise<StoredLog> {
  const { rows } = await db.query<{ size: bigint; frontier: Buffer[] }>('SELECT size, frontier FROM audit.tree');
  const [tree] = rows;
  if (tree === undefined || rows.length > 1) options.onProblem(`audit.tree has ${rows.length} rows instead of one`);
  const run = new StoredRun(db, Number(tree?.size ?? 0n), options);
  const isWhole = await run.readAll();
  if (isWhole) await run.end(tree?.frontier ?? []);
  return { size: run.size, roots: run.roots, isWhole };
}

class StoredRun {
  readonly #db: Queryable;
  readonly #options: VerifyOptions;
  readonly #total: number;
  readonly #tree: TreeBuilder;
  readonly #nodes: NodeCheck;
  readonly #entries: AsyncGenerator<StoredEntry, void, void>;
  #entry: StoredEntry | undefined;
  /** Leaves seen, with those that are missing. */
  #next = 0;
  #isBroken = false;

  constructor(db: Queryable, total: number, options: VerifyOptions) {
    this.#db = db;
    this.#options = options;
    this.#total = total;
    this.#tree = new TreeBuilder(options.sizes);
    this.#nodes = new NodeCheck(db, options.onProblem);
    this.#entries = readStoredEntries(db);
  }

  get size(): number {
    return this.#tree.frontier.size;
  }

  get roots(): ReadonlyMap<number, Buffer> {
    return this.#tree.roots;
  }

  /** False where it was ended. */
  async readAll(): Promise<boolean> {
    const { isEnded } = this.#options;
    await this.#advance();
    for await (const row of readStoredLeaves(this.#db, this.#total)) {
      if (isEnded?.(this.#next, this.#total) === true) return false;
      await this.#readRow(row);
    }
    return true;
  }

  async end(frontier: readonly Buffer[]): Promise<void> {
    const { onProblem } = this.#options;
    if (this.#next !== this.#total) onProblem(`audit.tree has the size ${this.#total}, and audit.leaves has ${this.#next} leaves`);
    else if (!this.#isBroken && !Buffer.concat(frontier).equals(Buffer.concat(this.#tree.frontier.hashes)))
      onProblem('audit.tree has another frontier than the leaves give');
    if (!this.#isBroken) await this.#nodes.end();
    await this.#endEntries();
  }

  /** Entries and leaves past the tree, as of one moment. */
  async #endEntries(): Promise<void> {
    const { rows } = await this.#db.query<{ index: bigint; event_id: string }>(
      'SELECT index, event_id FROM audit.entries WHERE index >= coalesce((SELECT max(size) FROM audit.tree), 0) ORDER BY index LIMIT 1000',
    );
    for (const { index, event_id } of rows) this.#options.onProblem(`entry ${index} (${event_id}) is not in the tree`);
    const { rows: leaves } = await this.#db.query<{ first: bigint }>(
      'SELECT first FROM audit.leaves WHERE first >= coalesce((SELECT max(size) FROM audit.tree), 0) ORDER BY first LIMIT 1000',
    );
    for (const { first } of leaves) this.#options.onProblem(`the row ${first} of audit.leaves is not in the tree`);
  }

  async #readRow({ first, salts, commitments, hashes }: StoredLeaves): Promise<void> {
    const { onProblem } = this.#options;
    const count = Math.floor(hashes.length / hashLength);
    const isWhole = hashes.length === count * hashLength && salts.length === count * saltLength && commitments.length === hashes.length;
    if (!isWhole || count === 0) onProblem(`the row ${first} of audit.leaves has parts of different lengths`);
    if (first < this.#next) return onProblem(`the row ${first} of audit.leaves repeats leaves, or is out of order`);
    if (first > this.#next) {
      onProblem(`the leaves ${this.#next} to ${first - 1} are missing from audit.leaves`);
      this.#isBroken = true;
    }
    for (let n = 0; n < count; n += 1) {
      const part = (bytes: Buffer, width: number): Buffer => bytes.subarray(n * width, (n + 1) * width);
      const hash = part(hashes, hashLength);
      await this.#readLeaf(first + n, { salt: part(salts, saltLength), commitment: part(commitments, hashLength), hash });
      if (!this.#isBroken) await this.#nodes.see(this.#tree.add(hash));
    }
    this.#next = first + count;
  }

  async #readLeaf(index: number, leaf: StoredLeaf): Promise<void> {
    const { onProblem, onEntry } = this.#options;
    let isFound = false;
    for (; this.#entry !== undefined && this.#entry.index <= index; await this.#advance()) {
      const name = `entry ${this.#entry.index} (${this.#entry.event_id})`;
      if (this.#entry.index < index || isFound) {
        onProblem(`${name} has an index that ${isFound ? 'another entry has' : 'no leaf has'}`);
        continue;
      }
      isFound = true;
      const [entry, stored] = await this.#ofOneMoment(this.#entry, leaf);
      const problem = entryProblem(entry, stored);
      if (problem !== undefined) onProblem(`${name} ${problem}`);
      await onEntry?.(entry, problem === undefined);
    }
    const wasMissing = leaf.hash.equals(leafHash(missingLeaf)) && leaf.commitment.every((byte) => byte === 0);
    if (!isFound && !wasMissing) onProblem(`entry ${index} is missing`);
  }

  /** Entries and leaves are read by page, and one may have been erased between. */
  async #ofOneMoment(entry: StoredEntry, leaf: StoredLeaf): Promise<readonly [StoredEntry, StoredLeaf]> {
    if ((entry.erased_by !== null) === erasedSalt.equals(leaf.salt)) return [entry, leaf];
    return (await findStored(this.#db, entry.index)) ?? [entry, leaf];
  }

  async #advance(): Promise<void> {
    const { value, done } = await this.#entries.next();
    this.#entry = done === true ? undefined : value;
  }
}
