import type { Queryable } from '@weir/postgres';

export interface ChainDataSettings {
  /** Labels imported longer ago are stale. */
  readonly labelsMaxAgeMs: number;
  /** Transfers are stale when the newest one is older. */
  readonly transfersMaxAgeMs: number;
  /** A followed chain that has not caught up with its nodes for longer is behind. */
  readonly chainMaxLagMs: number;
  /** Comma-separated chains that must have labels and transfers. */
  readonly requiredChains: string;
}

const problems = ['no_labels', 'no_transfers', 'stale_labels', 'stale_transfers', 'behind'] as const;
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
  /** How far the nodes of a followed chain are ahead; null for a chain that is not followed. */
  readonly lag: ChainLag | null;
  readonly problems: readonly ChainDataProblem[];
}

interface ChainLag {
  /** Between the nodes' newest block and the last stored one, with those that wait for confirmations; null before the first. */
  readonly blocks: number | null;
  /** Age of the last stored block; null before the first. */
  readonly ageMs: number | null;
  /** Since the nodes last had no confirmed block that is not stored; null: never yet. */
  readonly behindMs: number | null;
}

export interface ChainDataStatus {
  readonly isEmpty: boolean;
  readonly chains: readonly ChainData[];
  /** Empty or stale data in words, one line each. */
  readonly warnings: readonly string[];
}

interface Row extends Omit<ChainData, 'problems' | 'lag'>, Record<string, unknown> {
  readonly isFollowed: boolean;
  readonly lagBlocks: number | null;
  readonly blockAgeMs: number | null;
  readonly behindMs: number | null;
}

const query = `
  SELECT chain, coalesce(labels, 0)::float8 AS labels, coalesce(transfers, 0)::float8 AS transfers,
    coalesce(internal_transfers, 0)::float8 AS "internalTransfers",
    -- A bare greatest() would turn the age of no data into 0.
    CASE WHEN labels > 0 THEN greatest(extract(epoch FROM now() - labels_imported_at) * 1000, 0)::float8 END AS "labelsAgeMs",
    CASE WHEN transfers > 0 THEN greatest(extract(epoch FROM now() - newest_transfer_at) * 1000, 0)::float8 END AS "transfersAgeMs",
    first_block IS NOT NULL AS "isFollowed", greatest(head - height, 0)::float8 AS "lagBlocks",
    extract(epoch FROM now() - block_at)::float8 * 1000 AS "blockAgeMs",
    extract(epoch FROM now() - caught_up_at)::float8 * 1000 AS "behindMs"
  FROM chain.chain_data FULL JOIN chain.followed USING (chain) ORDER BY chain`;

/** Chains that have data or are followed, by name. */
export async function readChainAges(db: Queryable): Promise<Omit<ChainData, 'problems'>[]> {
  return (await db.query<Row>(query)).rows.map(chainOf);
}

export async function readChainData(db: Queryable, settings: ChainDataSettings): Promise<ChainDataStatus> {
  const rows = await readChainAges(db);
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
        lag: null,
      }),
    );
  const chains = [...rows, ...absent]
    .map((row) => ({ ...row, problems: problemsOf(row, required.includes(row.chain), settings) }))
    .toSorted((a, b) => (a.chain < b.chain ? -1 : 1));
  const isEmpty = chains.every(({ labels, transfers }) => labels + transfers === 0);
  return { isEmpty, chains, warnings: isEmpty ? [emptyWarning] : problems.flatMap((problem) => warningOf(problem, chains)) };
}

function chainOf({ isFollowed, lagBlocks, blockAgeMs, behindMs, ...data }: Row): Omit<ChainData, 'problems'> {
  return { ...data, lag: isFollowed ? { blocks: lagBlocks, ageMs: blockAgeMs, behindMs } : null };
}

/** A chain with labels alone may be intended, unless it is required. One with transfers needs labels for any result. */
function problemsOf(row: Omit<ChainData, 'problems'>, isRequired: boolean, settings: ChainDataSettings): ChainDataProblem[] {
  const { labels, labelsAgeMs, transfers, transfersAgeMs, lag } = row;
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
      case 'behind':
        return lag !== null && (lag.behindMs ?? Number.POSITIVE_INFINITY) > settings.chainMaxLagMs;
    }
  });
}

const emptyWarning = 'chain data is empty: there are no labels and no transfers, so nothing is known of any address (NO_DATA)';

const warningWords: Readonly<Record<ChainDataProblem, string>> = {
  no_labels: 'chain data has no labels of',
  no_transfers: 'chain data has no transfers of',
  stale_labels: 'labels are stale, last imported:',
  stale_transfers: 'transfers are stale, the newest:',
  behind: 'followed chains are behind their nodes, caught up last:',
};

const ageFor: Readonly<Record<ChainDataProblem, (chain: ChainData) => number | null>> = {
  no_labels: () => null,
  no_transfers: () => null,
  stale_labels: ({ labelsAgeMs }) => labelsAgeMs,
  stale_transfers: ({ transfersAgeMs }) => transfersAgeMs,
  behind: ({ lag }) => lag?.behindMs ?? null,
};

function warningOf(problem: ChainDataProblem, chains: readonly ChainData[]): string[] {
  const concerned = chains.filter((chain) => chain.problems.includes(problem));
  if (concerned.length === 0) return [];
  const named = concerned.map((chain) => {
    const age = ageFor[problem](chain);
    if (age !== null) return `${chain.chain} ${ageWords(age)} ago`;
    return problem === 'behind' ? `${chain.chain} never` : chain.chain;
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
