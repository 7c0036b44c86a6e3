import type { TileNode } from '@weir/audit-log';
import type { Queryable } from '@weir/postgres';

/** Hashes that one statement compares. */
const most = 1_000;

/** Compares the stored inner hashes with those that the leaves give. */
export class NodeCheck {
  readonly #db: Queryable;
  readonly #onProblem: (text: string) => void;
  #open: TileNode[] = [];

  constructor(db: Queryable, onProblem: (text: string) => void) {
    this.#db = db;
    this.#onProblem = onProblem;
  }

  async see(nodes: readonly TileNode[]): Promise<void> {
    this.#open.push(...nodes);
    if (this.#open.length >= most) await this.#compare();
  }

  /** Names rows that the tree does not have, as of one moment. */
  async end(): Promise<void> {
    await this.#compare();
    const { rows } = await this.#db.query<{ level: number; index: bigint }>(
      `SELECT level, index FROM audit.nodes WHERE index < 0 OR level NOT BETWEEN 1 AND 7
         OR index >= div((SELECT max(size) FROM audit.tree), 256::numeric ^ least(greatest(level, 1), 7)) GROUP BY level, index
       UNION SELECT level, index FROM audit.nodes GROUP BY level, index HAVING count(*) > 1`,
    );
    for (const { level, index } of rows) this.#onProblem(`audit.nodes has a row ${level}/${index} that the tree does not have`);
  }

  async #compare(): Promise<void> {
    const nodes = this.#open.splice(0);
    if (nodes.length === 0) return;
    const { rows } = await this.#db.query<{ level: number; index: bigint; hash: Buffer | null }>(
      `SELECT u.level, u.index, n.hash FROM unnest($1::int[], $2::bigint[]) WITH ORDINALITY AS u(level, index, n)
       LEFT JOIN audit.nodes n ON n.level = u.level AND n.index = u.index ORDER BY u.n`,
      [nodes.map(({ level }) => level), nodes.map(({ index }) => index)],
    );
    const wanted = new Map(nodes.map(({ level, index, hash }) => [`${level}/${index}`, hash]));
    for (const { level, index, hash } of rows) {
      const name = `${level}/${index}`;
      if (hash === null) this.#onProblem(`audit.nodes lacks the hash ${name}`);
      else if (wanted.get(name)?.equals(hash) !== true) this.#onProblem(`audit.nodes has another hash ${name} than the leaves give`);
    }
  }
}
