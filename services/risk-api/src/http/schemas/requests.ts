import { mostRows, pageRows } from '@weir/chain-store';
import { listedCoins } from '@weir/chains';
import { traceMethods } from '@weir/risk-engine';
import { z } from 'zod';

/** Parameters from the query or the body. Absent, null and empty ones are removed before these schemas, unknown ones are ignored. */
const text = z
  .string()
  .min(1)
  .max(512)
  // PostgreSQL cannot store such text, so it is no address, coin or task.
  .refine((value) => !value.includes('\0') && value.isWellFormed(), 'not storable');

const coin = text.meta({
  description: `Symbol of a coin; it names the chain. In any case; with other names of its chain, too (USDT-TRON). ${listedCoins.map(({ symbol }) => symbol).join(', ')}, and those added to this installation.`,
  example: 'ETH',
});
const address = text.meta({ description: 'Address on the chain of the coin.', example: '0x28C6c06298d514Db089934071355E5743bf21d60' });
const txid = text.meta({ description: 'Transaction hash on the chain of the coin.' });

/** Numbers in a query are decimal text. A default belongs inside, or the description omits it. */
const plainly = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value), schema);

export const targetQuery = z.object({
  coin,
  address: address.optional().meta({ description: 'Address on the chain of the coin. Either this or txid, not both.' }),
  txid: txid.optional().meta({ description: 'Transaction hash on the chain of the coin. Either this or address, not both.' }),
});

export const directedTarget = targetQuery.extend({
  direction: z
    .enum(['deposit', 'withdraw'])
    .default('deposit')
    .meta({ description: 'For a transaction: whether its senders (deposit) or its receivers (withdraw) are scored.' }),
});

/** Of any form, because an invalid id is that of an unknown task. */
const taskId = z.string().min(1);

export const taskQuery = z.object({ task_id: taskId.meta({ description: 'As the create call of the same key gave it.' }) });

export const addressQuery = z.object({ coin, address });

export const counterpartyQuery = z.object({
  coin: coin.default('ETH').meta({ description: 'Symbol of a coin; only its chain matters here.' }),
  address,
});

/** The end of the year 9999, in Unix seconds. */
const lastTimestamp = 253_402_300_799;
/** Reachable pages of an investigation; an earlier `end_timestamp` reaches older transfers. */
const mostPages = mostRows / pageRows;

const timestamp = z.int().min(0).max(lastTimestamp);

export const investigationQuery = addressQuery.extend({
  coin: coin.meta({ description: "Symbol of a coin. Only this coin's transfers are shown." }),
  start_timestamp: plainly(timestamp.default(0)).meta({ description: 'Unix seconds; transfers at or after it.' }),
  end_timestamp: plainly(timestamp)
    .optional()
    .meta({ description: 'Unix seconds; transfers at or before it. Left out: now. Give it to turn pages while new transfers come in.' }),
  type: z.enum(['in', 'out', 'all']).default('all').meta({ description: 'Transfers into the address, out of it, or both.' }),
  page: plainly(z.int().min(1).max(mostPages).default(1)).meta({
    description: `From 1, newest first. Of a longer list the first ${mostPages} pages can be asked for.`,
  }),
});

export const traceQuery = addressQuery.extend({
  coin: coin.meta({ description: 'Symbol of a coin. Only its chain matters, unless unit is coin.' }),
  unit: z.enum(['usd', 'coin']).default('usd').meta({
    description:
      'Extension: usd follows all coins of the chain, at the USD value of each transfer. coin follows transfers of the coin alone, by amount: also those of unknown value.',
  }),
  direction: z
    .enum(['forward', 'backward'])
    .default('forward')
    .meta({ description: 'Extension: where the money that the address sent went, or where what it received came from.' }),
  method: z
    .enum(traceMethods)
    .optional()
    .meta({ description: 'Extension: how mixed money is divided. Left out: by all three methods, side by side.' }),
  start_timestamp: plainly(timestamp.default(0)).meta({
    description: "Extension: Unix seconds; the address's own transfers at or after it are traced.",
  }),
  end_timestamp: plainly(timestamp).optional().meta({
    description: "Extension: Unix seconds; the address's own transfers at or before it are traced. Left out: now.",
  }),
});

const mostChanges = 1_000;

export const changesQuery = z.object({
  after: text
    .optional()
    .meta({ description: 'The next_cursor of an earlier answer. Left out: nothing is listed, and next_cursor is the present end.' }),
  limit: plainly(z.int().min(1).max(mostChanges).default(500)).meta({ description: 'Changes in the answer at most.' }),
});

export const priceQuery = z.object({
  coin,
  // PostgreSQL has no year 0.
  day: z.iso
    .date()
    .refine((day) => day >= '0001')
    .optional()
    .meta({ description: 'UTC day. The newest price up to it is given. Left out: today.' }),
});

/** On the pay-per-call surface the default coin is ETH. */
const paidCoin = coin.default('ETH');
export const paidAddress = addressQuery.extend({ coin: paidCoin });
export const paidTarget = targetQuery.extend({
  coin: paidCoin,
  address: address.optional().meta({ description: 'Address on the chain of the coin. This or txid.' }),
  txid: txid.optional().meta({ description: 'Transaction hash on the chain of the coin. This or address; with both this is scored.' }),
});
export const paidTrace = traceQuery.extend({ coin: paidCoin });
export const paidTask = paidTarget.extend({ address });
export const paidInvestigation = investigationQuery.extend({ coin: paidCoin });
export const paidTaskPoll = z.object({ task_id: taskId.meta({ description: 'The end of the address in Location.' }) });
