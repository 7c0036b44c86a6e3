import { z } from 'zod';
import { type Context, successOf } from './answer.ts';
import type { Reply } from './http.ts';
import { amount, levels, problemOf, text, wholeNumber } from './result.ts';
import type { ActionsAnswer, CounterpartiesAnswer, LabelsAnswer, TargetsAnswer, TransfersAnswer } from './types.ts';

const labels = z.object({ label_list: z.array(text), label_type: z.enum(['exchange', 'defi', 'mixer', 'nft', '']) });

export function labelsAnswerOf(reply: Reply, context: Context): LabelsAnswer {
  const answer = successOf(reply, context, ({ data }) => readWith(labels, data));
  return 'kind' in answer ? answer : { kind: 'labels', ...answer.read };
}

/** Beside `success` and `msg`, not in `data`. */
const counterparties = z.object({ address_counterparty_list: z.array(z.object({ name: text, amount, percent: amount })) });

export function counterpartiesAnswerOf(reply: Reply, context: Context): CounterpartiesAnswer {
  const answer = successOf(reply, context, ({ body }) => readWith(counterparties, body));
  return 'kind' in answer ? answer : { kind: 'counterparties', ...answer.read };
}

const action = z.object({ action: text, count: wholeNumber, proportion: amount });
const actions = z.object({ received_txs: z.array(action), spent_txs: z.array(action) });

export function actionsAnswerOf(reply: Reply, context: Context): ActionsAnswer {
  const answer = successOf(reply, context, ({ data }) => readWith(actions, data));
  return 'kind' in answer ? answer : { kind: 'actions', ...answer.read };
}

const unitTypes = { 1: 'plain', 2: 'malicious', 3: 'entity', 4: 'contract' } as const;
const unit = z
  .object({
    address: text,
    type: wholeNumber.pipe(z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)])),
    tx_hash_list: z.array(text),
    amount,
    label: text.nullish(),
  })
  .transform((item) => ({ ...item, type: unitTypes[item.type], label: item.label ?? '' }));
const transfers = z.object({
  in: z.array(unit),
  out: z.array(unit),
  page: wholeNumber,
  total_pages: wholeNumber,
  transactions_on_page: wholeNumber,
});

export function transfersAnswerOf(reply: Reply, context: Context): TransfersAnswer {
  const answer = successOf(reply, context, ({ data }) => readWith(transfers, data));
  return 'kind' in answer ? answer : { kind: 'transfers', ...answer.read };
}

const target = z.object({
  coin: text,
  address: text.exactOptional(),
  txid: text.exactOptional(),
  risk_level: z.enum(levels),
  score: wholeNumber,
});
const targets = z.object({ targets: z.array(target) });

/** This page has no envelope. */
export function targetsAnswerOf(reply: Reply, context: Context): TargetsAnswer {
  const answer = successOf(reply, context, ({ body }) => readWith(targets, body), { enveloped: false });
  return 'kind' in answer ? answer : { kind: 'targets', ...answer.read };
}

const names: ReadonlySet<PropertyKey> = new Set(
  [
    labels,
    counterparties,
    actions,
    action,
    unit.in,
    transfers,
    target,
    targets,
    counterparties.shape.address_counterparty_list.element,
  ].flatMap((schema) => Object.keys(schema.shape)),
);

function readWith<Schema extends z.ZodType>(schema: Schema, data: unknown): { read: z.output<Schema> } | { problem: string } {
  const read = schema.safeParse(data);
  return read.success ? { read: read.data } : { problem: problemOf(read.error, names) };
}
