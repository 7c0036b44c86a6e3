import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
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
  close(): void;
}

type Line = { readonly question: string; readonly claim: Claim } | { readonly closed: string };

export function openJournal(file: string): Journal {
  mkdirSync(dirname(file), { recursive: true });
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const open = openClaims(text);
  const handle = openSync(file, 'a', 0o600);
  // A truncated line must not corrupt the next one.
  if (text !== '' && !text.endsWith('\n')) writeSync(handle, '\n');
  let isClosed = false;
  const add = (line: Line): void => {
    // The descriptor may belong to another file by then.
    if (isClosed) throw new Error('the journal of payments is closed');
    writeSync(handle, `${JSON.stringify(line)}\n`);
    fsyncSync(handle);
  };
  return {
    take: (question) => open.get(question)?.pop(),
    signed: (question, claim) => add({ question, claim }),
    closed: (claim) => add({ closed: claim.paymentId }),
    close: () => {
      isClosed = true;
      closeSync(handle);
    },
  };
}

function openClaims(text: string): Map<string, Claim[]> {
  const lines = text.split('\n').flatMap(parsed);
  const closed = new Set(lines.flatMap((line) => ('closed' in line ? [line.closed] : [])));
  const open = new Map<string, Claim[]>();
  for (const line of lines) {
    if ('closed' in line || closed.has(line.claim.paymentId)) continue;
    open.set(line.question, [...(open.get(line.question) ?? []), line.claim]);
  }
  return open;
}

function parsed(line: string): Line[] {
  try {
    const value = JSON.parse(line) as { closed?: unknown; question?: unknown; claim?: { paymentId?: unknown; operation?: unknown } };
    const isLine = typeof value.closed === 'string' || (typeof value.question === 'string' && value.claim?.operation === 'risk_score');
    return isLine ? [value as Line] : [];
  } catch {
    return [];
  }
}
