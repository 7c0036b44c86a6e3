import type { Queryable } from '@weir/postgres';

export interface ChainDataSettings {
  /** Labels imported longer ago are stale. */
  readonly labelsMaxAgeMs: number;
  /** Transfers are stale when the newest one is older. */
  readonly transfersMaxAgeMs: number;
  /** Comma-separated chains that must have labels and transfers. */
  readonly requiredChains: string;
}

const problems = ['no_labels', 'no_transfers', 'stale_labels', 'stale_transfers'] as const;
type ChainDataProblem = (typeof problems)[number];

/** Age and size of one chain's data. Ages are null without data. */
export interface ChainData {
  readonly chain: string;
  readonly labels: number;
  /** Since the last import of labels. */
  readonly labelsAgeMs: number | null;
  readonly transfers: number;
  /** Part of `transfers`: payments of contracts within a transaction. */
  readonly internalTransfers: number;
  /** Since the newest transfer happened. */
  readonly transfersAgeMs: number | null;
  readonly problems: readonly ChainDataProblem[];
}

export interface ChainDataStatus {
  readonly isEmpty: boolean;
  readonly chains: readonly ChainData[];
  /** Empty or stale data in words, one line each. */
  readonly warnings: readonly string[];
}

type Row = Omit<ChainData, 'problems'> & { readonly [column: string]: unknown };

const query = `
  SELECT chain, labels::float8, transfers::float8, internal_transfers::float8 AS "internalTransfers",
    -- A bare greatest() would turn the age of no data into 0.
    CASE WHEN labels > 0 THEN greatest(extract(epoch FROM now() - labels_imported_at) * 1000, 0)::float8 END AS "labelsAgeMs",
    CASE WHEN transfers > 0 THEN greatest(extract(epoch FROM now() - newest_transfer_at) * 1000, 0)::float8 END AS "transfersAgeMs"
  FROM chain.chain_data ORDER BY chain`;

export async function readChainData(db: Queryable, settings: ChainDataSettings): Promise<ChainDataStatus> {
  const { rows } = await db.query<Row>(query);
  const required = settings.requiredChains.split(',').filter((name) => name !== '');
  const absent = required
    .filter((chain) => !rows.some((row) => row.chain === chain))
    .map(
      (chain): Omit<ChainData, 'problems'> => ({
        chain,
        labels: 0,
        labelsAgeMs: null,
        transfers: 0,
        internalTransfers: 0,
        transfersAgeMs: null,
      }),
    );
  const chains = [...rows, ...absent]
    .map((row) => ({ ...row, problems: problemsOf(row, required.includes(row.chain), settings) }))
    .toSorted((a, b) => (a.chain < b.chain ? -1 : 1));
  const isEmpty = chains.every(({ labels, transfers }) => labels + transfers === 0);
  return { isEmpty, chains, warnings: isEmpty ? [emptyWarning] : problems.flatMap((problem) => warningOf(problem, chains)) };
}

/** A chain with labels alone may be intended, unless it is required. One with transfers needs labels for any result. */
function problemsOf(row: Omit<ChainData, 'problems'>, isRequired: boolean, settings: ChainDataSettings): ChainDataProblem[] {
  const { labels, labelsAgeMs, transfers, transfersAgeMs } = row;
  return problems.filter((problem) => {
    switch (problem) {
      case 'no_labels':
        return labels === 0 && (isRequired || transfers > 0);
      case 'no_transfers':
        return transfers === 0 && isRequired;
      case 'stale_labels':
        return labels > 0 && (labelsAgeMs ?? 0) > settings.labelsMaxAgeMs;
      case 'stale_transfers':
        return transfers > 0 && (transfersAgeMs ?? 0) > settings.transfersMaxAgeMs;
    }
  });
}

const emptyWarning = 'chain data is empty: there are no labels and no transfers, so nothing is known of any address (NO_DATA)';

const warningWords: Readonly<Record<ChainDataProblem, string>> = {
  no_labels: 'chain data has no labels of',
  no_transfers: 'chain data has no transfers of',
  stale_labels: 'labels are stale, last imported:',
  stale_transfers: 'transfers are stale, the newest:',
};

function warningOf(problem: ChainDataProblem, chains: readonly ChainData[]): string[] {
  const concerned = chains.filter((chain) => chain.problems.includes(problem));
  if (concerned.length === 0) return [];
  const ageOf = ({ labelsAgeMs, transfersAgeMs }: ChainData): number | null =>
    problem === 'stale_labels' ? labelsAgeMs : problem === 'stale_transfers' ? transfersAgeMs : null;
  const named = concerned.map((chain) => {
    const age = ageOf(chain);
    return age === null ? chain.chain : `${chain.chain} ${ageWords(age)} ago`;
  });
  return [`${warningWords[problem]} ${named.join(', ')}`];
}

const hourMs = 3_600_000;

export function ageWords(ms: number): string {
  const [count, unit] =
    ms >= 48 * hourMs
      ? [Math.floor(ms / (24 * hourMs)), 'day']
      : ms >= 2 * hourMs
        ? [Math.floor(ms / hourMs), 'hour']
        : [Math.floor(ms / 60_000), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
