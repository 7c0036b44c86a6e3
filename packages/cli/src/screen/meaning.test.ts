import { systemClock } from '@weir/clock';
import { RiskClient } from '@weir/risk-client';
import { type AnswerRow, answerTable, changingScript, startUpstream, type Upstream } from '@weir/risk-client/testing';
import { specifiedProvider } from '@weir/risk-provider';
import { factsFor } from '@weir/scoring';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Answer, ask } from './ask.ts';
import { Pacer } from './pacer.ts';
import { type Question, readQuestion } from './question.ts';

let upstream: Upstream;
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(() => upstream.close());

const question = readQuestion({ coin: 'ETH', target: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96' }) as Question;

function askFor(waitMs: number): Promise<Answer> {
  const { signal } = new AbortController();
  const client = new RiskClient({ baseUrl: upstream.url, apiKey: upstream.apiKey, keyIn: 'header', clock: systemClock });
  const provider = specifiedProvider(client, { name: 'risk.example', limits: { perSecond: 100, perDay: 1_000 } });
  return ask(
    {
      provider,
      factsOf: factsFor([provider], upstream.apiKey),
      pacer: new Pacer({ clock: systemClock, limits: { perSecond: 100, perDay: 1_000 }, signal }),
      clock: systemClock,
      pollMs: 20,
      maxAgeMs: 86_400_000,
      waitMs,
      signal,
    },
    question,
  );
}

/** Changes the answers until the returned function is called. */
function answerLike({ script }: AnswerRow): () => void {
  let now = script;
  upstream.answer(changingScript(() => now));
  return () => {
    now = {};
  };
}

describe('the command line takes each answer of the risk API as scoring does', () => {
  test.each(answerTable)('$name', async (row) => {
    const { outcome, reason, isRetried, endsCommand } = row;
    answerLike(row);
    const answer = await askFor(isRetried ? 800 : 20_000);
    expect({ outcome: answer.outcome, reason: answer.reasons[0] }).toEqual({ outcome, reason });
    expect(answer.hopeless && isRetried).toBe(endsCommand === true || reason === 'BUDGET_EXHAUSTED');
    if (!isRetried || endsCommand) return;
    upstream.creates.length = 0;
    upstream.queries.clear();
    const mend = answerLike(row);
    const late = askFor(25_000);
    await vi.waitFor(() => expect(upstream.creates.length).toBeGreaterThan(0), { timeout: 10_000, interval: 5 });
    mend();
    expect(await late).toMatchObject({ outcome: 'SCORED', reasons: [] });
  });
});
