import { AppendFile, readAppended } from '@weir/service-kit';
import type { Claim } from '@weir/risk-client/pay';

/**
 * Signed payments, one JSON line each, so that the run after a kill fetches their answers and pays nothing twice. Append-only: two runs
 * may share the file. Beside a result file payments stay open, because only rows in that file count as delivered.
 */
export interface Journal {
  /** The newest open payment for this question, taken for this run. */
  take(question: string): Claim | undefined;
  /** On disk when it returns. */
  signed(question: string, claim: Claim): void;
  /** Its answer is delivered, or it can never be charged. */
  closed(claim: Claim): void;
  close(): Promise<void>;
}

type Line = { readonly question: string; readonly claim: Claim } | { readonly closed: string };

export async function openJournal(path: string): Promise<Journal> {
  const open = openClaims(await Array.fromAsync(readAppended(path, { parse: lineOf })));
  const file = AppendFile.open(path);
  return {
    take: (question) => open.get(question)?.pop(),
    signed: (question, claim) => file.appendNow({ question, claim } satisfies Line),
    closed: (claim) => file.appendNow({ closed: claim.paymentId } satisfies Line),
    close: () => file.close(),
  };
}

function openClaims(lines: readonly Line[]): Map<string, Claim[]> {
  const closed = new Set(lines.flatMap((line) => ('closed' in line ? [line.closed] : [])));
  const open = new Map<string, Claim[]>();
  for (const line of lines) {
    if ('closed' in line || closed.has(line.claim.paymentId)) continue;
    open.set(line.question, [...(open.get(line.question) ?? []), line.claim]);
  }
  return open;
}

function lineOf(value: unknown): Line | undefined {
  const { closed, question, claim } = value as { closed?: unknown; question?: unknown; claim?: { operation?: unknown } };
  const isLine = typeof closed === 'string' || (typeof question === 'string' && claim?.operation === 'risk_score');
  return isLine ? (value as Line) : undefined;
}
