import { createHash } from 'node:crypto';
import { type Meaning, meaningOf, type RiskLevel } from '@weir/risk-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Question, RiskProvider } from './port.ts';
import type { Script, SimulatedApi } from './testing/server.ts';

/** An adapter with its simulated API. */
export interface ProviderHarness {
  readonly api: SimulatedApi;
  /** Secrets that no answer, URL or error may hold. */
  readonly secrets: readonly string[];
  open(options: { readonly timeoutMs: number }): RiskProvider;
  /** Fresh subjects that the provider can assess. `unknownCoin`: in a coin that it does not know. */
  question(options?: { readonly unknownCoin?: boolean }): Question;
}

const levels: readonly RiskLevel[] = ['Low', 'Moderate', 'High', 'Severe'];
const maxAgeMs = 3_600_000;

/** The contract of `RiskProvider` for every adapter. */
export function describeRiskProvider(name: string, openHarness: () => Promise<ProviderHarness>): void {
  describe(`risk provider: ${name}`, () => {
    let harness: ProviderHarness;
    let provider: RiskProvider;
    beforeEach(async () => {
      harness = await openHarness();
      provider = harness.open({ timeoutMs: 5_000 });
    });
    afterEach(() => harness.api.close());

    /** The meaning of the answer, and how many polls found the assessment running. */
    async function assess(script: Script, question = harness.question()): Promise<{ meaning: Meaning; running: number }> {
      harness.api.answer(() => script);
      const asked = await provider.ask(question);
      if (asked.kind !== 'created') return { meaning: meaningOf(asked, { now: Date.now(), maxAgeMs }), running: 0 };
      for (let running = 0; ; running += 1) {
        const meaning = meaningOf(await provider.follow(asked.task_id), { now: Date.now(), maxAgeMs });
        if (meaning.kind !== 'running') return { meaning, running };
      }
    }

    test.each(levels)('gives the level %s, with a score in its band', async (level) => {
      const { meaning } = await assess({ level });
      expect(meaning).toMatchObject({ kind: 'final', outcome: 'SCORED', result: { risk_level: level } });
    });

    test('gives a direct exposure to a sanctioned entity as the policy reads it', async () => {
      const { meaning } = await assess({ level: 'Severe', riskType: 'sanctioned_entity' });
      const exposure = { risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1 };
      expect(meaning).toMatchObject({ outcome: 'SCORED', result: { risk_detail: [exposure] } });
    });

    test('gives an indirect exposure, and its risk type', async () => {
      const { meaning } = await assess({ level: 'Moderate', riskType: 'mixer', isIndirect: true });
      expect(meaning).toMatchObject({ outcome: 'SCORED', result: { risk_detail: [{ risk_type: 'mixer', exposure_type: 'indirect' }] } });
    });

    test('an API that knows nothing of the subject gives NO_DATA, and no level', async () => {
      const { meaning } = await assess({ level: null });
      expect(meaning).toMatchObject({ kind: 'final', outcome: 'NO_DATA', result: { risk_detail: [], detail_list: [] } });
    });

    test('the evidence gives the same result again, and its hash is of the stored bytes', async () => {
      const { meaning } = await assess({ level: 'High', riskType: 'mixer' });
      if (meaning.kind !== 'final' || !('evidence' in meaning)) throw new Error(`no result: ${JSON.stringify(meaning)}`);
      expect(createHash('sha256').update(meaning.evidence).digest('hex')).toBe(meaning.evidence_sha256);
      expect(provider.explain(meaning.evidence)).toMatchObject({ result: meaning.result });
      expect(provider.explain('{"success":true}')).toMatchObject({ kind: 'unavailable', reason: 'UNREADABLE' });
    });

    test.each([
      ['not_json', 'UPSTREAM_UNREADABLE'],
      ['web_page', 'UPSTREAM_UNREADABLE'],
      ['too_large', 'UPSTREAM_UNREADABLE'],
      ['level_missing', 'UPSTREAM_UNREADABLE'],
      ['level_unknown', 'UPSTREAM_UNREADABLE'],
      ['category_unknown', 'UPSTREAM_UNREADABLE'],
      ['contradiction', 'UPSTREAM_UNREADABLE'],
      ['error_body', 'UPSTREAM_UNREADABLE'],
      ['server_error', 'UPSTREAM_UNAVAILABLE'],
      ['redirect', 'UPSTREAM_UNAVAILABLE'],
      ['limited_bare', 'BUDGET_EXHAUSTED'],
      ['limited', 'BUDGET_EXHAUSTED'],
      ['key_refused', 'UPSTREAM_REJECTED'],
    ] as const)('%s is UNAVAILABLE with %s, never a level', async (fault, reason) => {
      const { meaning } = await assess({ level: 'Low', fault });
      expect(meaning).toMatchObject({ outcome: 'UNAVAILABLE', reason });
      if (fault === 'limited') expect(meaning).toMatchObject({ retryAfterMs: 7_000 });
      if (fault === 'limited_bare') expect(meaning).toMatchObject({ retryAfterMs: 1_000 });
      // The key is not sent to another place.
      expect(harness.api.received.filter(({ path }) => path === '/elsewhere')).toEqual([]);
      if (fault === 'key_refused') expect(meaning).toMatchObject({ cause: 'caller' });
    });

    test('an API that hangs or refuses connections is UNAVAILABLE', async () => {
      // It must also suffice for the good answer.
      provider = harness.open({ timeoutMs: 1_000 });
      expect((await assess({ level: 'Low', fault: 'hang' })).meaning).toMatchObject({ reason: 'UPSTREAM_UNAVAILABLE', cause: 'api' });
      expect((await assess({ level: 'Low', fault: 'stall' })).meaning).toMatchObject({ reason: 'UPSTREAM_UNAVAILABLE', cause: 'api' });
      await harness.api.away();
      expect((await assess({ level: 'Low' })).meaning).toMatchObject({ reason: 'UPSTREAM_UNAVAILABLE', cause: 'api' });
      await harness.api.back();
      expect((await assess({ level: 'Low' })).meaning).toMatchObject({ outcome: 'SCORED' });
    });

    test('polls a running assessment, and reports a lost one', async () => {
      expect(await assess({ level: 'High', polls: 3 })).toMatchObject({ meaning: { outcome: 'SCORED' }, running: 3 });
      const asked = await provider.ask(harness.question());
      expect(asked).toMatchObject({ kind: 'created' });
      harness.api.forget();
      expect(asked.kind === 'created' && (await provider.follow(asked.task_id))).toEqual({ kind: 'not_found' });
    });

    test('a coin that it does not know is UNSUPPORTED', async () => {
      const { meaning } = await assess({ level: 'Low' }, harness.question({ unknownCoin: true }));
      expect(meaning).toMatchObject({ kind: 'final', outcome: 'UNSUPPORTED' });
    });

    test('an aborted call ends at once', async () => {
      const stop = new AbortController();
      stop.abort();
      expect(await provider.ask(harness.question(), stop.signal)).toMatchObject({ kind: 'unavailable', reason: 'NETWORK' });
    });

    test('lists coins and changed results, or says that it has no such list', async () => {
      expect(['coins', 'not_found']).toContain((await provider.coins()).kind);
      expect(['changes', 'not_found']).toContain((await provider.changes({})).kind);
    });

    test('evidence with a part left out or null is unreadable or as strict, never milder', async () => {
      const { meaning } = await assess({ level: 'Severe', riskType: 'sanctioned_entity' });
      if (meaning.kind !== 'final' || !('evidence' in meaning)) throw new Error(`no result: ${JSON.stringify(meaning)}`);
      const broken = [...breakages(JSON.parse(meaning.evidence))];
      expect(broken.length).toBeGreaterThan(20);
      for (const evidence of broken) {
        const explained = provider.explain(JSON.stringify(evidence));
        expect('kind' in explained ? 'unreadable' : explained.result.risk_level, JSON.stringify(evidence)).toMatch(/^(unreadable|Severe)$/);
      }
    });

    test('no answer and no evidence holds a key', async () => {
      const answers: unknown[] = [];
      for (const fault of [undefined, 'key_refused', 'server_error', 'contradiction'] as const)
        answers.push(await assess({ level: 'High', riskType: 'mixer', fault }));
      expect(harness.secrets.filter((secret) => JSON.stringify(answers).includes(secret))).toEqual([]);
    });
  });
}

/** Copies of a JSON value, each with one field left out or null. Items of lists stay: fewer items are another answer. */
function* breakages(value: unknown): Generator {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) for (const broken of breakages(item)) yield value.with(at, broken);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, field] of Object.entries(value)) {
    const { [key]: _left, ...rest } = value as Record<string, unknown>;
    yield rest;
    yield { ...value, [key]: null };
    for (const broken of breakages(field)) yield { ...value, [key]: broken };
  }
}
