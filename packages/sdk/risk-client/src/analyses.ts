import { z } from 'zod';
import { type Context, successOf } from './answer.ts';
import type { Reply } from './http.ts';
import { amount, levels, problemOf, text, wholeNumber } from './result.ts';
import type { ActionsAnswer, CounterpartiesAnswer, LabelsAnswer, TargetsAnswer, TransfersAnswer } from './types.ts';

const labels = z.object({ label_list: z.array(text), label_type: z.enum(['exchange', 'defi', 'mixer', 'nft', '']) });

export function labelsAnswerOf(reply: Reply, context: Context): LabelsAnswer {
  const answer = successOf(reply, context, ({ data }) => readWith(labels, data));
  return 'kind' in answer ? answer : { kind: 'labels', labels: answer.read.label_list, type: answer.read.label_type };
}

/** Beside `success` and `msg`, not in `data`. */
const counterparties = z.object({ address_counterparty_list: z.array(z.object({ name: text, amount, percent: amount })) });

export function counterpartiesAnswerOf(reply: Reply, context: Context): CounterpartiesAnswer {
  const answer = successOf(reply, context, ({ body }) => readWith(counterparties, body));
  if ('kind' in answer) return answer;
  const items = answer.read.address_counterparty_list.map(({ name, amount: amountUsd, percent }) => ({ name, amountUsd, percent }));
  return { kind: 'counterparties', counterparties: items };
}

const action = z
  .object({ action: text, count: wholeNumber, proportion: amount })
  .transform((item) => ({ action: item.action, count: item.count, percent: item.proportion }));
const actions = z.object({ received_txs: z.array(action), spent_txs: z.array(action) });

export function actionsAnswerOf(reply: Reply, context: Context): ActionsAnswer {
  const answer = successOf(reply, context, ({ data }) => readWith(actions, data));
  return 'kind' in answer ? answer : { kind: 'actions', received: answer.read.received_txs, spent: answer.read.spent_txs };
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
  .transform((item) => ({
    address: item.address,
    type: unitTypes[item.type],
    txids: item.tx_hash_list,
    amount: item.amount,
    label: item.label ?? '',
  }));
const transfers = z.object({
  in: z.array(unit),
  out: z.array(unit),
  page: wholeNumber,
  total_pages: wholeNumber,
  transactions_on_page: wholeNumber,
});

export function transfersAnswerOf(reply: Reply, context: Context): TransfersAnswer {
  const answer = successOf(reply, context, ({ data }) => readWith(transfers, data));
  if ('kind' in answer) return answer;
  const { page, total_pages: totalPages, transactions_on_page: transfersOnPage } = answer.read;
  return { kind: 'transfers', in: answer.read.in, out: answer.read.out, page, totalPages, transfersOnPage };
}

const target = z
  .object({ coin: text, address: text.optional(), txid: text.optional(), risk_level: z.enum(levels), score: wholeNumber })
  .transform(({ coin, address, txid, risk_level: riskLevel, score }) => ({
    coin,
    ...(address !== undefined && { address }),
    ...(txid !== undefined && { txid }),
    riskLevel,
    score,
  }));
const targets = z.object({ targets: z.array(target) });

/** This page has no envelope. */
export function targetsAnswerOf(reply: Reply, context: Context): TargetsAnswer {
  const answer = successOf(reply, context, ({ body }) => readWith(targets, body), { enveloped: false });
  return 'kind' in answer ? answer : { kind: 'targets', targets: answer.read.targets };
}

const names: ReadonlySet<PropertyKey> = new Set(
  [
    labels,
    counterparties,
    actions,
    action.in,
    unit.in,
    transfers,
    target.in,
    targets,
    counterparties.shape.address_counterparty_list.element,
  ].flatMap((schema) => Object.keys(schema.shape)),
);

function readWith<Schema extends z.ZodType>(schema: Schema, data: unknown): { read: z.output<Schema> } | { problem: string } {
  const read = schema.safeParse(data);
  return read.success ? { read: read.data } : { problem: problemOf(read.error, names) };
}
