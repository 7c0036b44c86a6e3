import { type Carried, keep, nothing, stepsOf, type Trail, type TraceMethod } from './carried.ts';

/**
 * Whatever an address pays after it was reached is traced, all of it. Backward: whatever it received before it paid on.
 * Nothing is conserved: one dollar makes a million. The way is that of the first contact.
 */
export const poison: TraceMethod = ({ payments, isEnd, entries, balanceOf }, { direction, isStart }) => {
  const carried: Carried[] = payments.map(() => nothing);
  const kept = new Map<string, Carried>();
  const reached = new Map<string, Trail>();
  for (const { index, value, near, far } of stepsOf(payments, direction)) {
    const before = reached.get(near);
    if (before === undefined && !isStart(index)) continue;
    const trail = { index, before: isStart(index) ? undefined : before };
    carried[index] = { value, main: { value, trail } };
    if (isEnd(far)) continue;
    if (!reached.has(far)) reached.set(far, trail);
    const unbrought = entries[index]?.unbrought ?? 0;
    if (direction === 'backward' && unbrought > 0) keep(kept, far, { value: unbrought, main: { value: unbrought, trail } });
  }
  if (direction === 'backward') return { carried, kept };
  return { carried, kept: new Map([...reached].map(([address, trail]) => [address, still(balanceOf(address), trail)])) };
};

function still(value: number, trail: Trail): Carried {
  return { value, main: { value, trail } };
}
