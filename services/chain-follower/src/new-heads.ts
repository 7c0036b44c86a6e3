import { type Chain, nodesOf } from '@weir/chains';
import { backoff, type Clock } from '@weir/clock';

/** What a node is asked to tell, and the notification that tells it. */
const subscriptions = {
  ethereum: { method: 'eth_subscribe', params: ['newHeads'], tells: 'eth_subscription' },
  // A root is a finalized slot.
  solana: { method: 'rootSubscribe', params: [], tells: 'rootNotification' },
} as const;

const subscriptionOf = (chain: Chain): (typeof subscriptions)['ethereum' | 'solana'] | undefined => {
  const api = nodesOf(chain)?.api;
  return api === 'ethereum' || api === 'solana' ? subscriptions[api] : undefined;
};

export function subscribable(chain: Chain): boolean {
  return subscriptionOf(chain) !== undefined;
}

export interface HeadsOptions {
  readonly chain: Chain;
  readonly url: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onHead: () => void;
  /** The connection ended or was never there; it is opened again after a pause. `reason` does not name the node. */
  readonly onClosed: (reason: string) => void;
}

const pause = { firstMs: 1_000, longestMs: 60_000 };
/** A chain without a block for so long is rather a connection that is dead. */
const silentMs = 120_000;

/** Says at once when a node has a new block. Only a hint: what the block is, the nodes are asked. Ends with the signal. */
export async function listenForHeads(options: HeadsOptions): Promise<void> {
  const { clock, signal, onClosed } = options;
  for (let failures = 1; !signal.aborted; failures += 1) {
    const { hasAnnounced, reason } = await listenOnce(options);
    if (signal.aborted) return;
    if (hasAnnounced) failures = 1;
    onClosed(reason);
    await clock.sleep(backoff(failures, pause), signal);
  }
}

async function listenOnce({ chain, url, clock, signal, onHead }: HeadsOptions): Promise<{ hasAnnounced: boolean; reason: string }> {
  const subscription = subscriptionOf(chain);
  if (subscription === undefined) throw new TypeError(`nodes of ${chain} tell of no new blocks`);
  const { method, params, tells } = subscription;
  const socket = new WebSocket(url);
  const ended = new AbortController();
  let hasAnnounced = false;
  let heard = clock.monotonic();
  let reason = 'the connection ended';
  const end = (why: string): void => {
    if (ended.signal.aborted) return;
    reason = why;
    ended.abort();
  };
  socket.addEventListener('open', () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
  socket.addEventListener('message', ({ data }) => {
    const said = parse(data);
    heard = clock.monotonic();
    if (said?.error !== undefined) end('the node refuses to tell of new blocks');
    if (said?.method !== tells) return;
    hasAnnounced = true;
    onHead();
  });
  socket.addEventListener('error', () => end('the connection failed'));
  socket.addEventListener('close', () => end('the connection ended'));
  const over = AbortSignal.any([signal, ended.signal]);
  while (!over.aborted) {
    const leftMs = heard + silentMs - clock.monotonic();
    if (leftMs <= 0) end('the node has sent nothing for too long');
    else await clock.sleep(leftMs, over);
  }
  socket.close();
  return { hasAnnounced, reason };
}

/** Undefined: it is no JSON object. */
function parse(data: unknown): { method?: unknown; error?: unknown } | undefined {
  try {
    const said: unknown = JSON.parse(String(data));
    return typeof said === 'object' && said !== null ? said : undefined;
  } catch {
    return undefined;
  }
}
