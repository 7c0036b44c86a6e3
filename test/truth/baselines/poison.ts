import { inTimeOrder, type Movement, type Roles } from '../movements.ts';

/** 1 for each address that illicit money has reached in time order, however little of it. */
export function poison(movements: readonly Movement[], { illicit, services }: Roles): ReadonlyMap<string, number> {
  const reached = new Map<string, number>();
  for (const { from, to } of inTimeOrder(movements)) {
    if (illicit.has(to) || services.has(to)) continue;
    if (illicit.has(from) || reached.has(from)) reached.set(to, 1);
  }
  return reached;
}
