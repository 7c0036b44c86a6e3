import type { Described } from '@weir/service-kit';
import { z } from 'zod';

const time = z.iso.datetime();
const hash = z.string().describe('SHA-256 of the text, in hex.');
const action = z.enum(['block', 'review', 'allow']);
const person = z.strictObject({ id: z.string(), name: z.string() });

const changeFields = {
  number: z.int().min(1).describe('From 1, without gaps.'),
  policy_hash: hash,
  set_by: z.enum(['default', 'file', 'command']).describe('command: people, in the console or on the command line.'),
  shadow_hash: z.string().nullable().describe('The candidate that runs beside it without effect.'),
  changed_at: time,
};
export const policyChangeView = z.strictObject(changeFields).meta({ id: 'PolicyChange' });
export type PolicyChangeView = Described<typeof policyChangeView>;

const proposalFields = { policy_hash: hash, proposed_by: person, proposed_at: time };
export const proposalView = z
  .strictObject(proposalFields)
  .describe('It is not in force. Another person approves it.')
  .meta({ id: 'PolicyProposal' });
export type ProposalView = Described<typeof proposalView>;

const rejectionView = z
  .strictObject({
    ...proposalFields,
    rejected_by: person.describe('The person who proposed it, if it was taken back.'),
    rejected_at: time,
    reason: z.string(),
  })
  .describe('A proposal that was rejected, or taken back.')
  .meta({ id: 'PolicyRejection' });
export type RejectionView = Described<typeof rejectionView>;

export const policiesView = z
  .strictObject({
    items: z.array(policyChangeView).describe('The newest 100; the first is in force.'),
    proposal: proposalView.nullable().describe('null: none waits.'),
    rejections: z.array(rejectionView).describe('The newest 20 proposals that were rejected or taken back.'),
  })
  .meta({ id: 'Policies' });

const cell = z
  .union([action, z.strictObject({ review_from_usd: z.string(), below: action, unknown_value: z.enum(['block', 'review']) })])
  .describe('An action, or actions by value.');

export const policyView = z
  .strictObject({
    policy_hash: hash,
    text: z.string().describe('YAML, byte for byte.'),
    sanctioned_exposure: z.strictObject({ deposit: action, withdrawal: action }),
    table: z.array(z.strictObject({ line: z.string().describe('A level, or why there is none.'), deposit: cell, withdrawal: cell })),
    limits: z.array(z.strictObject({ about: z.string(), value: z.string() })).describe('Beside the table, with defaults.'),
    windows: z.array(z.strictObject({ name: z.string(), counts: z.string() })).describe('What rules know of the past.'),
    rules: z.array(
      z.strictObject({
        name: z.string(),
        when: z.string().describe('CEL.'),
        words: z.string().nullable().describe('The condition in words; null: none are known for its form.'),
        action,
        may_relax: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'Policy' });
export type PolicyView = Described<typeof policyView>;

const side = z.string().nullable().describe('null: it is not there.');
const changes = z
  .array(z.strictObject({ about: z.string(), from: side, to: side, text: z.string().describe('The three as one line.') }))
  .describe('How it decides differently; empty: it decides the same.');

export const policyDifference = z.strictObject({ from: hash, to: hash, changes }).meta({ id: 'PolicyDifference' });
export type PolicyDifference = Described<typeof policyDifference>;

export const policyCheck = z
  .strictObject({
    policy_hash: z.string().nullable().describe('null: it cannot be used.'),
    problems: z
      .array(
        z.strictObject({
          line: z.int().min(1),
          column: z.int().min(1),
          length: z.int().min(0).describe('In characters.'),
          path: z.string(),
          message: z.string(),
          hint: z.string().optional(),
        }),
      )
      .describe('In the order of the text.'),
    changes: changes.describe('How it decides differently from the policy in force.'),
  })
  .meta({ id: 'PolicyCheck' });

export const backtestView = z
  .strictObject({
    policy_hash: hash,
    results: z.int().min(0).describe('Stored results that it was applied to: the last one of each transfer.'),
    cells: z.array(z.strictObject({ was: action, would_be: action, count: z.int().min(0) })),
  })
  .meta({ id: 'Backtest' });

const count = z.int().min(0);
export const velocityView = z
  .strictObject({
    policy_hash: hash,
    items: z
      .array(
        z.strictObject({
          window: z.string().describe('Its name in the policy.'),
          of: z.enum(['user', 'user_counterparty']).describe('user_counterparty: of the counterparty with the highest value.'),
          kind: z.enum(['deposit', 'withdrawal']).nullable().describe('null: both.'),
          window_ms: z.int().min(1),
          count: count.nullable().describe('null: the customer has more than 20,000 transfers in this time, and the rules hold.'),
          known_usd: z.string().nullable().describe('Decimal: the sum of the known values.'),
          unknown_count: count.nullable().describe('Transfers whose value is unknown.'),
          rules: z.array(z.string()).describe('Those that read the window.'),
        }),
      )
      .describe('The windows of the policy in force.'),
  })
  .meta({ id: 'Velocity' });
export type VelocityView = Described<typeof velocityView>;

export const disagreementsView = z
  .strictObject({
    shadow_hash: z.string().nullable().describe('The candidate; null: none runs, and the rest is empty.'),
    since: time,
    cells: z.array(z.strictObject({ action, shadow: action, count })).describe('Pairs that differ, the most frequent first.'),
    items: z
      .array(
        z.strictObject({
          screening_id: z.guid(),
          revision: z.int().min(1),
          kind: z.enum(['deposit', 'withdrawal']),
          coin: z.string(),
          amount: z.string(),
          usd_value: z.string().nullable(),
          action,
          shadow: action.describe('What the candidate would have decided.'),
          rule: z.string().nullable().describe('Of the policy in force.'),
          decided_at: time,
        }),
      )
      .describe('The newest 100.'),
  })
  .meta({ id: 'ShadowDisagreements' });
export type DisagreementsView = Described<typeof disagreementsView>;
