import type { TransferRow } from '../rows.ts';
import { nativeRows } from '../transfers/rows.ts';
import type { Scope } from '../transfers/scope.ts';
import { tracePosition } from '../transfers/traces.ts';
import { type Json, listOf, objectOf, textOf } from './json.ts';
import { type Node, NodeError, quantity } from './node.ts';

/** A node has one of them, or none. */
export type TraceMethod = 'trace_block' | 'debug_traceBlockByNumber';

/** `trace_block` first: it is what exporters use. Undefined when the node has neither. */
export async function findTraceMethod(node: Node, height: number): Promise<TraceMethod | undefined> {
  for (const method of ['trace_block', 'debug_traceBlockByNumber'] as const)
    if ((await ask(node, method, height)) !== undefined) return method;
  return undefined;
}

function ask(node: Node, method: TraceMethod, height: number): Promise<unknown> {
  const tag = `0x${height.toString(16)}`;
  return node.ask(method, method === 'trace_block' ? [tag] : [tag, { tracer: 'callTracer' }]);
}

/** A call that paid, below the transaction's own. */
interface Payment {
  readonly txid: string;
  readonly place: readonly number[];
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
}

export interface TracedBlock {
  readonly height: number;
  readonly hash: string;
  /** Ids of its transactions, in order. */
  readonly txids: readonly string[];
  readonly time: string;
}

/** Payments of contracts within the block's transactions. Throws a NodeError when the traces are not those of the block. */
export async function readInternal(node: Node, scope: Scope, method: TraceMethod, block: TracedBlock): Promise<TransferRow[]> {
  if (block.txids.length === 0) return [];
  const traces = listOf(await ask(node, method, block.height), `the traces of block ${block.height}`);
  const paid = method === 'trace_block' ? flatPayments(traces, block) : traces.flatMap((trace, n) => nestedPayments(trace, n, block));
  const known = method === 'trace_block' ? new Set(traces.map((trace) => trace['transactionHash'])) : undefined;
  if (known === undefined ? traces.length < block.txids.length : !block.txids.every((txid) => known.has(txid)))
    throw new NodeError(`the node lacks traces of block ${block.height}`);
  return paid.flatMap(({ place, ...move }) => {
    const rows = nativeRows(scope, { ...move, time: block.time, position: tracePosition(place) });
    return typeof rows === 'string' ? [] : rows;
  });
}

/** Traces of `trace_block`: every call of the block in one list. */
function flatPayments(traces: readonly Json[], { height, hash }: TracedBlock): Payment[] {
  // A reorganisation may have happened between the two requests.
  if (traces.some((trace) => trace['blockHash'] !== hash)) throw new NodeError(`block ${height} changed while it was read; ask again`);
  const calls = traces
    .filter((trace) => trace['type'] !== 'reward')
    .map((trace) => ({ trace, txid: textOf(trace, 'transactionHash'), place: placeOf(trace) }));
  const failed = new Set(calls.filter(({ trace }) => isFailed(trace)).map(({ txid, place }) => keyOf(txid, place)));
  return calls.flatMap(({ trace, txid, place }) => {
    const isBelowFailed = [...place.keys(), place.length].some((depth) => failed.has(keyOf(txid, place.slice(0, depth))));
    const move = isBelowFailed || place.length === 0 ? undefined : flatMove(trace);
    return move === undefined || move.value === 0n ? [] : [{ txid, place, ...move }];
  });
}

const keyOf = (txid: string, place: readonly number[]): string => `${txid} ${place.join()}`;
const isFailed = ({ error }: Json): boolean => error !== undefined && error !== null && error !== '';

function placeOf({ traceAddress }: Json): number[] {
  if (!Array.isArray(traceAddress) || !traceAddress.every((place) => Number.isInteger(place)))
    throw new NodeError('the node gives a trace without its address');
  return traceAddress as number[];
}

function flatMove(trace: Json): Pick<Payment, 'from' | 'to' | 'value'> | undefined {
  const action = objectOf(trace['action'], 'the action of a trace');
  switch (trace['type']) {
    case 'call':
      if (action['callType'] !== 'call') return undefined;
      return { from: textOf(action, 'from'), to: textOf(action, 'to'), value: valueOf(action['value']) };
    case 'create': {
      const value = valueOf(action['value']);
      if (value === 0n) return undefined;
      return { from: textOf(action, 'from'), to: textOf(objectOf(trace['result'], 'the result of a creation'), 'address'), value };
    }
    case 'suicide':
      return { from: textOf(action, 'address'), to: textOf(action, 'refundAddress'), value: valueOf(action['balance']) };
    default:
      return undefined;
  }
}

const paying = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);

/** Traces of geth's `callTracer`: one tree of calls per transaction. Older nodes omit its id. */
function nestedPayments(trace: Json, n: number, { txids }: TracedBlock): Payment[] {
  const txid = typeof trace['txHash'] === 'string' ? trace['txHash'] : txids[n];
  if (txid === undefined || (typeof trace['txHash'] !== 'string' && isFailed(trace)))
    throw new NodeError('the node gives a trace of no transaction');
  return below(objectOf(trace['result'], `the trace of transaction ${txid}`), []).map((payment) => ({ txid, ...payment }));
}

function below(call: Json, place: readonly number[]): Omit<Payment, 'txid'>[] {
  if (isFailed(call)) return [];
  const calls = call['calls'] === undefined ? [] : listOf(call['calls'], 'the calls of a trace');
  const inner = calls.flatMap((each, n) => below(each, [...place, n]));
  if (place.length === 0 || !paying.has(String(call['type']))) return inner;
  const value = valueOf(call['value']);
  return value === 0n ? inner : [{ place, from: textOf(call, 'from'), to: textOf(call, 'to'), value }, ...inner];
}

const valueOf = (value: unknown): bigint => (value === undefined || value === null ? 0n : quantity(value, 'the value of a call'));
