import type { Person } from '@weir/reviews';
import type { Caller } from '@weir/service-kit';

export function personOf({ role, id, name }: Caller): Person {
  return { id: `${role}:${id}`, name };
}
