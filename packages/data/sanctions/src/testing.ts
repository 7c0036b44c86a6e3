import type { Queryable } from '@weir/postgres';

/** The columns that this package reads of the risk service's table, readable by every role. */
export async function createLabels(db: Queryable): Promise<void> {
  await db.query(`CREATE SCHEMA chain; CREATE TABLE chain.labels (
    chain text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, category text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL, valid_from timestamptz, valid_to timestamptz, confidence double precision NOT NULL,
    UNIQUE NULLS NOT DISTINCT (chain, address, source, category, name, valid_from));
    GRANT USAGE ON SCHEMA chain TO PUBLIC; GRANT SELECT ON chain.labels TO PUBLIC`);
}

/** The columns that this package reads. Needs the schema. */
export async function createTransfers(db: Queryable): Promise<void> {
  await db.query(`CREATE TABLE chain.transfers (chain text COLLATE "C" NOT NULL, txid text COLLATE "C" NOT NULL,
    from_address text COLLATE "C" NOT NULL, to_address text COLLATE "C" NOT NULL, dealing boolean NOT NULL DEFAULT true);
    GRANT SELECT ON chain.transfers TO PUBLIC`);
}

export async function putTransfer(db: Queryable, of: { chain?: string; txid: string; from: string; to: string }): Promise<void> {
  await db.query('INSERT INTO chain.transfers VALUES ($1, $2, $3, $4)', [of.chain ?? 'ethereum', of.txid, of.from, of.to]);
}

export interface TestLabel {
  readonly chain?: string;
  readonly address: string;
  readonly category?: string;
  readonly source?: string;
  readonly validFrom?: Date | null;
  readonly validTo?: Date | null;
  readonly confidence?: number;
}

/** By default a valid sanctions listing on Ethereum. Replaces an equal one. */
export async function putLabel(db: Queryable, label: TestLabel): Promise<void> {
  const {
    chain = 'ethereum',
    address,
    category = 'sanctioned',
    source = 'a list',
    validFrom = null,
    validTo = null,
    confidence = 1,
  } = label;
  await db.query(
    `INSERT INTO chain.labels (chain, address, name, category, source, valid_from, valid_to, confidence) VALUES ($1, $2, 'Somebody', $3, $4, $5, $6, $7)
     ON CONFLICT (chain, address, source, category, name, valid_from) DO UPDATE SET valid_to = excluded.valid_to, confidence = excluded.confidence`,
    [chain, address, category, source, validFrom, validTo, confidence],
  );
}
