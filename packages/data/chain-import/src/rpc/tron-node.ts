import { type Clock, within } from '@weir/clock';
import { NodeError } from './node.ts';

/** A full node's HTTP API. */
export interface TronNode {
  /** POST of `/wallet/<method>`. Throws a NodeError when the node does not answer with JSON. */
  ask(method: string, body: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** `timeoutMs`: for one answer. A block with all its receipts has some megabytes. */
export function openTronNode(
  url: string,
  { clock, signal, timeoutMs }: { clock: Clock; signal: AbortSignal; timeoutMs: number },
): TronNode {
  const base = url.endsWith('/') ? url.slice(0, -1) : url;
  return {
    ask: async (method, body) => {
      const ending = new AbortController();
      const answer = post(`${base}/wallet/${method}`, body, AbortSignal.any([signal, ending.signal])).catch((error: unknown) => {
        if (error instanceof NodeError) throw error;
        // The message of the error may have the address.
        throw new NodeError(`the node does not answer ${method}`, { cause: error });
      });
      const late = (): never => {
        ending.abort();
        throw new NodeError(signal.aborted ? 'stopped' : `the node gives no answer in ${Math.ceil(timeoutMs / 1_000)} s`);
      };
      return within(clock, timeoutMs, answer, { late, signal });
    },
  };
}

async function post(url: string, body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal,
  });
  if (!answer.ok) throw new NodeError(`the node answers with status ${answer.status}`);
  const said = (await answer.json()) as { Error?: unknown } | null;
  // Its errors have status 200.
  if (typeof said?.Error === 'string') throw new NodeError(`the node says ${said.Error.slice(0, 200)}`);
  return said;
}
