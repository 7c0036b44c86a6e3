import { inTimeOrder, type Movement, type Roles } from '../movements.ts';

interface Part {
  usd: number;
  readonly tainted: boolean;
}

interface Queue {
  readonly parts: Part[];
  received: number;
  taintedReceived: number;
}

/** Tainted share of what each address received, in time order. The money that came first leaves first. */
export function fifo(movements: readonly Movement[], { illicit, services }: Roles): ReadonlyMap<string, number> {
  const queues = new Map<string, Queue>();
  for (const { from, to, usd } of inTimeOrder(movements)) {
    const parts = illicit.has(from) ? [{ usd, tainted: true }] : takeFirst(queues.get(from)?.parts ?? [], usd);
    if (illicit.has(to) || services.has(to)) continue;
    const queue = queues.get(to) ?? { parts: [], received: 0, taintedReceived: 0 };
    for (const part of parts) {
      append(queue.parts, part);
      queue.received += part.usd;
      queue.taintedReceived += part.tainted ? part.usd : 0;
    }
    queues.set(to, queue);
  }
  return new Map([...queues].map(([address, { received, taintedReceived }]) => [address, taintedReceived / received]));
}

/** Money that no transfer brought is clean, and leaves last. */
function takeFirst(parts: Part[], usd: number): Part[] {
  const taken: Part[] = [];
  let left = usd;
  while (left > 0 && parts[0] !== undefined) {
    const part = Math.min(parts[0].usd, left);
    taken.push({ usd: part, tainted: parts[0].tainted });
    parts[0].usd -= part;
    left -= part;
    if (parts[0].usd <= 0) parts.shift();
  }
  return left > 0 ? [...taken, { usd: left, tainted: false }] : taken;
}

function append(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (last !== undefined && last.tainted === part.tainted) last.usd += part.usd;
  else parts.push({ ...part });
}
