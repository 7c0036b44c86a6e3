import type { Pool } from '@weir/postgres';

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A pool that keeps what it is asked, in order. */
export interface RecordingPool {
  readonly pool: Pool;
  /** Statements since the last call. */
  taken(): readonly Statement[];
}

export function recordStatements(pool: Pool): RecordingPool {
  let recorded: Statement[] = [];
  const record = (asked: unknown, values: unknown): void => {
    const { text, values: own } = typeof asked === 'string' ? { text: asked, values: undefined } : (asked as Statement);
    recorded.push({ text, values: own ?? (values as unknown[] | undefined) ?? [] });
  };
  return {
    pool: {
      url: pool.url,
      counts: () => pool.counts(),
      end: () => pool.end(),
      query: (text, values) => {
        record(text, values);
        return pool.query(text, values);
      },
      connect: async () => {
        const client = await pool.connect();
        return new Proxy(client, {
          get: (target, name) => {
            const found: unknown = Reflect.get(target, name, target);
            if (name === 'query') {
              return (asked: unknown, values: unknown) => {
                record(asked, values);
                return (found as (...all: unknown[]) => unknown).call(target, asked, values);
              };
            }
            return typeof found === 'function' ? (found as (...all: unknown[]) => unknown).bind(target) : found;
          },
          set: (target, name, value) => Reflect.set(target, name, value, target),
        });
      },
    },
    taken: () => {
      const taken = recorded;
      recorded = [];
      return taken;
    },
  };
}

export interface Plans {
  /** That scans of tables and indexes returned or dropped, without those of rollups. */
  readonly rows: number;
  readonly rollupRows: number;
  readonly pages: number;
  /** Scans with their index or table, and sorts, by number. */
  readonly nodes: ReadonlyMap<string, number>;
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Node[];
}
type Root = Node & { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };

const isCommand = /^\s*(?:BEGIN|COMMIT|ROLLBACK|SET)\b/;
const noTable = /CTE|Subquery|Function|Values|Named Tuplestore|WorkTable/;

/** Runs the statements once more, with the settings of their transactions. */
export async function explainAll(pool: Pool, statements: readonly Statement[]): Promise<Plans> {
  const nodes = new Map<string, number>();
  let rows = 0;
  let rollupRows = 0;
  let pages = 0;
  const visit = (node: Node): void => {
    const type = node['Node Type'];
    const isScan = type.includes('Scan') && !noTable.test(type);
    if (isScan || type.includes('Sort')) {
      const name = `${type} ${node['Index Name'] ?? node['Relation Name'] ?? ''}`.trim();
      nodes.set(name, (nodes.get(name) ?? 0) + 1);
    }
    const dropped = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    const read = isScan ? (node['Actual Rows'] + dropped) * node['Actual Loops'] : 0;
    if (node['Relation Name'] === 'rollups') rollupRows += read;
    else rows += read;
    node.Plans?.forEach(visit);
  };
  const client = await pool.connect();
  try {
    for (const { text, values } of statements) {
      if (isCommand.test(text)) {
        await client.query(text);
        continue;
      }
      const { rows: found } = await client.query<{ 'QUERY PLAN': [{ Plan: Root }] }>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [
        ...values,
      ]);
      const plan = found[0]?.['QUERY PLAN'][0].Plan;
      if (plan === undefined) continue;
      pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      visit(plan);
    }
  } finally {
    client.release(true);
  }
  return { rows: Math.round(rows), rollupRows: Math.round(rollupRows), pages, nodes };
}
