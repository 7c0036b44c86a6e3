import type { Context } from 'hono';
import { z } from 'zod';
import { csv } from './csv.ts';
import { type Operation, operation } from './operation.ts';

/** A spreadsheet opens them, and reading them takes some seconds. */
export const mostExported = 10_000;

export interface Exported {
  readonly text: string;
  /** Whether there are more than `mostExported`. */
  readonly isCut: boolean;
}

interface ExportDefinition<Query extends z.ZodObject> extends Pick<Operation, 'tag' | 'admission' | 'problems'> {
  /** As in the path and the name of the file. */
  readonly list: string;
  /** In words. */
  readonly what: string;
  readonly query: Query;
  readonly example: string;
  /** A response refuses. */
  readonly read: (c: Context, query: z.output<Query>) => Promise<Exported | Response>;
}

/** `GET /v1/exports/{list}`: what a list shows of a filter, as CSV. */
export function exportOperation<Query extends z.ZodObject>(definition: ExportDefinition<Query>): Operation {
  const { list, what, query, example, read, ...shared } = definition;
  const most = mostExported.toLocaleString('en');
  return operation({
    ...shared,
    name: `export_${list.replaceAll('-', '_')}`,
    method: 'GET',
    path: `/v1/exports/${list}`,
    summary: `Exports as CSV the first ${most} ${what}.`,
    description: 'RFC 4180 with a header. Cells that a spreadsheet would run as formulas begin with an apostrophe.',
    query,
    answers: [
      {
        status: 200,
        description: 'One line for each.',
        type: 'text/csv',
        schema: z.string(),
        headers: { 'X-Weir-Cut': `\`true\` if there are more than ${most}.` },
        example,
      },
    ],
    respond: async (c, given) => {
      const exported = await read(c, given.query);
      return exported instanceof Response ? exported : answerCsv(c, list, exported);
    },
  });
}

function answerCsv(c: Context, name: string, { text, isCut }: Exported): Response {
  return c.body(text, 200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}.csv"`,
    'cache-control': 'no-store',
    'x-weir-cut': String(isCut),
  });
}

/** Reads pages one after the other. */
export async function exportPages<After>(
  names: readonly string[],
  read: (after: After | undefined) => Promise<{ readonly items: readonly object[]; readonly next: After | undefined }>,
): Promise<Exported> {
  const rows: object[] = [];
  let after: After | undefined;
  do {
    const page = await read(after);
    rows.push(...page.items);
    after = page.next;
  } while (after !== undefined && rows.length < mostExported);
  const { text, isCut } = exportRows(names, rows);
  return { text, isCut: isCut || after !== undefined };
}

/** Rows that are read at once, one more than `mostExported` at most. */
export function exportRows(names: readonly string[], rows: readonly object[]): Exported {
  return { text: csv(names, rows.slice(0, mostExported)), isCut: rows.length > mostExported };
}
