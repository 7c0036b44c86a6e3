import { actions, labelTypes, pageRows } from '@weir/chain-store';
import { chains } from '@weir/chains';
import { detailOrder, type Level, levels, riskTypes } from '@weir/risk-engine';
import { z } from 'zod';

/** Answers of the calls. Objects are strict: an undocumented field is a bug. */

export const succeededWith = <Data extends z.ZodType>(data: Data) => z.strictObject({ success: z.literal(true), msg: z.literal(''), data });

const taskMessage = <const Messages extends readonly [string, ...string[]]>(success: boolean, messages: Messages) =>
  z.strictObject({ success: z.literal(success), msg: z.enum(messages), data: z.strictObject({}) });

const coverage = z.enum(['none', 'labels', 'transfers', 'full']).meta({
  description: 'Extension: how much data the service has about the target. With none a Low means "nothing known", not "nothing bad".',
});
const share = z.number().min(0).max(100);
const unknownValues = 'Transfers of unknown value are weighed as in a score, not as zero; where no value is known, their number decides.';
const usd = z.number().min(0);

const exposure = z.strictObject({
  entity: z.string(),
  risk_type: z.enum(riskTypes),
  exposure_type: z.enum(['direct', 'indirect']),
  hop_num: z.int().min(1).meta({ description: 'Hops between the target and the entity.' }),
  volume: usd.meta({ description: 'USD. 0 where no value is known.' }),
  percent: share.meta({ description: `Share of the target's whole volume, in percent. ${unknownValues}` }),
});
const exposureWithPath = exposure.extend({
  hop_dic: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .meta({ description: 'Path by hop: addresses, and at the last hop the entity. With indirect exposures.' }),
});

const hop = z.strictObject({
  txid: z.string(),
  time: z.iso.datetime().meta({ description: 'UTC.' }),
  coin: z.string(),
  amount: z.string().nullable().meta({ description: 'In the coin, as decimal text; null: not known.' }),
  usd: usd.nullable().meta({ description: 'At the time of the transfer; null: not known.' }),
  from: z.string(),
  to: z.string(),
});
const side = z.enum(['in', 'out']).meta({ description: 'in: source of funds, the target received. out: use of funds, the target sent.' });
const sidedExposure = exposureWithPath.extend({
  side,
  side_percent: share.meta({ description: 'Share of what the target received, or sent, in percent.' }),
  counterparty: z.string().meta({ description: 'The address next to the target that brought most of it.' }),
  sources: z.array(z.string()).max(5).meta({ description: 'Extension: sources of the labels that name the entity, five at most.' }),
  path: z.array(hop).meta({
    description:
      'Extension: the transfers that carried most of it between entity and target, in the order of time. Of more than 20 the first and the last ten. Where the whole answer would have more than 900,000 bytes, the smaller exposures have the first and the last transfer alone, or none.',
  }),
  path_left_out: z.int().min(0).meta({ description: 'Extension: transfers of the path that are not in it. 0: it is whole.' }),
});

const contribution = z.strictObject({
  key: z.string().meta({
    description:
      'base; own:<category>; <side>:direct:<category> and <side>:traced:<category>, with ? for a suspicion; <side>:floor:<rule>; <side>:cap:<rule>.',
  }),
  points: z.number(),
});
const counterfactual = z.strictObject({
  without: z.string().meta({ description: 'The `key` of a contribution.' }),
  score: z.int().min(3).max(100),
  risk_level: z.enum(levels),
});
const part = z.number().min(0).max(1);
const sideSummary = z.strictObject({
  coverage: z.enum(['none', 'transfers']).meta({ description: 'none: no transfer of this side is known.' }),
  transfers: z.int().min(0),
  usd: usd.meta({ description: 'Sum of the known values.' }),
  counted: z.boolean().meta({ description: 'Whether it counts in the score: of the sender of a deposit only in.' }),
  score: z.int().min(3).max(100).meta({ description: 'Of this side alone, rounded.' }),
  upper_score: z.int().min(3).max(100).meta({ description: 'If all unread money were stolen.' }),
  direct: part.meta({ description: 'Part straight with risk labels, 0 to 1.' }),
  traced: part.meta({ description: 'Part with risk labels through others, 0 to 1.' }),
  unread: part.meta({
    description: 'Part whose past (in) or future (out) was not read, 0 to 1. The illicit part is at most that much larger.',
  }),
  addresses: z.int().min(0).meta({ description: 'Addresses whose transfers were read; 0 for a service.' }),
});

/** More lines than anybody reads, in an answer that every client can parse. */
export const mostExposures = 1_000;
const listOf = <Line extends z.ZodType>(line: Line) =>
  z
    .array(line)
    .max(mostExposures)
    .meta({
      description: `Largest first. Of more than ${mostExposures} the sanctioned entities stay, then the largest; the score counts all.`,
    });

const scoreFields = {
  score: z.int().min(3).max(100),
  hacking_event: z.string().meta({ description: 'Security incident; empty: none.' }),
  detail_list: z.array(z.enum([...detailOrder] as [string, ...string[]])),
  risk_level: z.enum(levels).meta({ description: 'Low 0 to 30, Moderate 31 to 70, High 71 to 90, Severe 91 to 100.' }),
  coverage,
};
const reportUrl = z.string().meta({
  description:
    'URL of a report (PDF); anyone who has it can open the report until it expires. Empty where this instance does not know its own address.',
});

const claim = z.strictObject({
  probability: z.number().min(0).max(1),
  categories: z.array(z.string()),
  sources: z.array(z.string()).meta({ description: 'At most ten.' }),
});
const contradiction = z
  .strictObject({ standing: z.enum(['service', 'accusation']), service: claim, accusation: claim })
  .meta({ description: 'Some sources call the target a service, others accuse it. `standing` is the claim that counts.' });

/** In MistTrackMCP's words, which have none for Severe. */
export const vendorLevels = { Low: 'low', Moderate: 'medium', High: 'high', Severe: 'high' } as const satisfies Record<Level, string>;

const score = z.strictObject(scoreFields);
export const scoreV1 = score.extend({
  level: z.enum(['low', 'medium', 'high']).meta({ description: 'Addition: the level as MistTrackMCP reads it. Severe is high, too.' }),
});
export const scoreV2Task = score.extend({ risk_detail: listOf(exposure) });
export const scoreV2 = scoreV2Task.extend({ risk_report_url: reportUrl });
const scoreWithLabel = score.extend({
  risk_detail: listOf(exposureWithPath),
  address_label: z.string().meta({ description: 'Empty: no label. Of a transaction: of the address of the side asked for.' }),
  contradictions: z
    .array(contradiction)
    .meta({ description: 'Extension: among the labels of the target. Of a transaction: of its worst address.' }),
  risk_report_url: reportUrl,
});
export const scoreV3 = scoreWithLabel.extend({
  risk_detail: listOf(sidedExposure),
  illicit_usd: usd.meta({
    description: 'Extension: illicit money that the target received, direct and traced, in USD. Of a transaction: all scored addresses.',
  }),
  bound: part.meta({ description: 'Extension: the illicit part of the worse side may be this much larger, 0 to 1.' }),
  contributions: z.array(contribution).meta({
    description: 'Extension: points that add up to the score. Of a transaction, with bound and sides: of its worst address.',
  }),
  counterfactuals: z.array(counterfactual).meta({
    description:
      'Extension: the findings without which the level would be another, with score and level then. Empty: no finding alone decides the level. Of a transaction: of its worst address.',
  }),
  sides: z.strictObject({ in: sideSummary, out: sideSummary }).meta({ description: 'Extension: source of funds and use of funds.' }),
});
/** Predefined. A Low result of the sandbox may have `-` for its details. */
export const scoreSandbox = scoreWithLabel.extend({ detail_list: z.array(z.enum([...detailOrder, '-'])) });

const created = {
  has_result: z.boolean().meta({ description: 'Whether a query would give the result. If not, wait 1 to 10 seconds before it.' }),
  scanned_ts: z.int().min(0).meta({ description: 'Unix seconds at which the result was computed; 0 while there is none.' }),
};
export const createdV2 = z.strictObject(created);
export const createdV3 = z.strictObject({ ...created, task_id: z.string() });

/** The answer to a task query on the standard API, where an unknown task is not a failure. */
export const queried = <Data extends z.ZodType>(data: Data) =>
  z.union([succeededWith(data), taskMessage(true, ['TaskUnderRunning', 'TaskNotFound'])]);
export const queriedSandbox = z.union([succeededWith(scoreSandbox), taskMessage(false, ['TaskNotFound'])]);

export const labels = z.strictObject({
  label_list: z.array(z.string()).meta({ description: 'Names of the entity, worst first, then the kinds of its labels.' }),
  label_type: z.enum(labelTypes).meta({ description: 'Empty: unclassified.' }),
});

export const counterparties = z.strictObject({
  success: z.literal(true),
  msg: z.literal(''),
  address_counterparty_list: z.array(
    z.strictObject({
      name: z.string().meta({ description: 'Entity; Unknown for all without a label, Others for labelled ones beyond the largest 100.' }),
      amount: usd.meta({ description: 'USD, received and sent together, as far as values are known.' }),
      percent: share.meta({ description: `The items add up to 100. ${unknownValues}` }),
    }),
  ),
});

const actionItem = z.strictObject({
  action: z.enum(actions),
  count: z.int().min(1).meta({ description: 'Transfers.' }),
  proportion: share.meta({ description: `Percent of that side's USD volume. ${unknownValues}` }),
});
export const addressActions = z.strictObject({ received_txs: z.array(actionItem), spent_txs: z.array(actionItem) });

export const standardActions = succeededWith(addressActions).extend({
  action_dic: addressActions.meta({ description: 'Addition: data once more, where published clients of the vendor read it.' }),
});

const unit = z.strictObject({
  address: z.string(),
  type: z
    .union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)])
    .meta({ description: '1: plain address; 2: malicious address; 3: labelled entity; 4: contract.' }),
  tx_hash_list: z.array(z.string()).meta({ description: 'Hashes of the transfers on this page; a source that gives none adds none.' }),
  amount: z.number().min(0).meta({ description: 'In the coin, 4 decimals, over the transfers on this page. Unknown amounts add nothing.' }),
  label: z.string(),
});
export const investigation = z.strictObject({
  in: z.array(unit),
  out: z.array(unit),
  page: z.int().min(1),
  total_pages: z.int().min(0).meta({ description: 'Pages that can be asked for: at most 100.' }),
  transactions_on_page: z.int().min(0).max(pageRows).meta({ description: 'Transfers on this page.' }),
});

export const overview = z.strictObject({
  balance: z.number().meta({ description: 'Received less spent, in the native coin, as far as transfers are known; fees are not in it.' }),
  txs_count: z.int().min(0),
  first_seen: z.int().min(0).meta({ description: 'Unix seconds; 0: never.' }),
  last_seen: z.int().min(0),
  total_received: z.number().min(0),
  total_spent: z.number().min(0),
  received_txs_count: z.int().min(0),
  spent_txs_count: z.int().min(0),
});

export const status = z.strictObject({
  support_api: z.array(z.string()).meta({ description: 'Names of the calls of the standard API, without their version.' }),
  support_coin: z.array(z.string()).meta({ description: 'Symbols of the coins, those added to this installation among them.' }),
  support_network: z.array(z.enum(chains)).meta({ description: 'Chains of the coins.' }),
});

export const scoreChanges = z.strictObject({
  items: z
    .array(
      z.strictObject({
        chain: z.enum(chains),
        subject_type: z.enum(['address', 'txid']),
        subject: z.string().meta({ description: 'As the service writes it: EVM addresses and hashes in lower case.' }),
        direction: z.enum(['deposit', 'withdraw']).meta({ description: 'Which side of a transaction; of an address always deposit.' }),
        cause: z.enum(['label', 'transfer']).meta({
          description: 'transfer: only new transfers to or from an address that the score read. label: a label changed, began or ended.',
        }),
        changed_at: z.int().min(0).meta({ description: 'Unix seconds.' }),
      }),
    )
    .meta({ description: 'Oldest change first. A subject stands there once, with its newest change.' }),
  next_cursor: z.string().meta({ description: 'Where to go on; good for as long as the service has its data.' }),
  more: z.boolean().meta({ description: 'Whether there are more changes already.' }),
});

export const price = z
  .strictObject({
    coin: z.string(),
    usd: z.string().meta({ description: 'USD for one whole coin, as decimal text.' }),
    day: z.iso.date().meta({ description: 'UTC day that the price is of.' }),
  })
  .nullable();

export const targetList = z.strictObject({
  targets: z.array(
    z.strictObject({
      coin: z.enum(['ETH', 'TRX']),
      address: z.string().optional(),
      txid: z.string().optional(),
      risk_level: z.enum(levels),
      score: z.int().min(3).max(100),
    }),
  ),
});
