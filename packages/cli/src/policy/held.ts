import type { Kind } from '@weir/contracts';
import { type Compared, countHeldWithoutEvidence, judge, readHeld, withHistory } from '@weir/decision';
import type { Policy } from '@weir/policy';
import type { Queryable } from '@weir/postgres';
import type { PlaceFlags } from '../flags.ts';
import { note, plain, printJsonList, printTable } from '../output.ts';
import { itemOf } from './item.ts';
import { parseNamed, textOf, withDecisions } from './resolve.ts';

interface HeldFlags extends PlaceFlags {
  readonly policy: string;
  readonly kind?: Kind;
  readonly json?: true;
}

/** Held transfers that the policy would allow now. Releasing them takes a review by two people. */
export async function listHeld(flags: HeldFlags): Promise<void> {
  await withDecisions(flags, async ({ pool }) => {
    const policy = parseNamed(flags.policy, await textOf(flags.policy, pool));
    const kinds: readonly Kind[] = flags.kind === undefined ? ['deposit', 'withdrawal'] : [flags.kind];
    const unknown = await countHeldWithoutEvidence(pool, kinds);
    if (unknown > 0)
      note(
        `${unknown} more are held since before Weir kept what decisions are made on, and cannot be asked about: GET /v1/reviews has them.`,
      );
    if (flags.json) {
      await printJsonList(items(pool, policy, kinds));
      return;
    }
    const count = await printTable(head, releasable(pool, policy, kinds), rowOf);
    note(
      count === 0
        ? 'No held transfer would be allowed by this policy.'
        : `${count} held transfer${count === 1 ? '' : 's'} would be allowed. One person resolves (weir reviews resolve), another approves.`,
    );
  });
}

const head = ['SCREENING/REVISION', 'KIND', 'ID', 'AMOUNT', 'USD', 'HELD BY', 'ALLOWED BY'] as const;

function rowOf({ stored, verdict }: Compared): string[] {
  const { kind, source_id, coin, amount, usd_value } = stored.transfer;
  return [
    `${stored.screening_id}/${stored.revision}`,
    kind,
    plain(source_id),
    plain(`${amount} ${coin}`),
    plain(usd_value ?? 'unknown'),
    plain(stored.rule ?? 'the table'),
    plain(verdict.rule ?? 'the table'),
  ];
}

async function* releasable(db: Queryable, policy: Policy, kinds: readonly Kind[]): AsyncGenerator<Compared, void, void> {
  for await (const page of readHeld(db, kinds)) {
    const { decisions } = await withHistory(db, policy, page);
    for (const stored of decisions) {
      const verdict = judge(policy, stored);
      if (verdict.action === 'allow') yield { stored, verdict };
    }
  }
}

async function* items(db: Queryable, policy: Policy, kinds: readonly Kind[]): AsyncGenerator<object, void, void> {
  for await (const compared of releasable(db, policy, kinds)) yield itemOf(compared);
}
