import { type Carried, nothing, stepsOf, type Trail, type TraceMethod } from './carried.ts';

/**
 * Whatever an address pays after it was reached is traced, all of it. Backward: whatever it received before it paid on.
 * Nothing is conserved: one USD makes a million. The way is that of the first contact.
 */
export const poison: TraceMethod = ({ payments, isEnd }, { direction, isStart }) => {
  const carried: Carried[] = payments.map(() => nothing);
  const reached = new Map<string, Trail>();
  for (const { index, usd, near, far } of stepsOf(payments, direction)) {
    const before = reached.get(near);
    if (before === undefined && !isStart(index)) continue;
    const trail = { index, before: isStart(index) ? undefined : before };
    carried[index] = { usd, main: { usd, trail } };
    if (!isEnd(far) && !reached.has(far)) reached.set(far, trail);
  }
  return carried;
};
