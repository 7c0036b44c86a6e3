import { compare } from '../combine.ts';

export type Edge = readonly [from: string, to: string];

/** The number of each node's strongly connected component, in topological order: an edge never leads to a smaller number. */
export function componentsOf(edges: readonly Edge[]): ReadonlyMap<string, number> {
  const nodes = [...new Set(edges.flat())].toSorted(compare);
  const forward = neighbours(edges);
  const backward = neighbours(edges.map(([from, to]) => [to, from] as const));
  const finished: string[] = [];
  const seen = new Set<string>();
  for (const node of nodes) visit(node, forward, seen, (done) => finished.push(done));
  // Kosaraju: against the edges, from the last finished on, one visit reaches one component.
  const components = new Map<string, number>();
  const assigned = new Set<string>();
  let number = 0;
  for (const node of finished.toReversed()) {
    if (assigned.has(node)) continue;
    const current = number++;
    visit(node, backward, assigned, (member) => components.set(member, current));
  }
  return components;
}

function neighbours(edges: readonly Edge[]): ReadonlyMap<string, readonly string[]> {
  const lists = new Map<string, string[]>();
  for (const [from, to] of edges) {
    const list = lists.get(from);
    if (list === undefined) lists.set(from, [to]);
    else list.push(to);
  }
  return lists;
}

/** Depth first, without recursion: one second of a chain may hold thousands of payments in a row. */
function visit(start: string, next: ReadonlyMap<string, readonly string[]>, seen: Set<string>, onDone: (node: string) => void): void {
  if (seen.has(start)) return;
  seen.add(start);
  const stack = [{ node: start, at: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const following = next.get(top.node)?.[top.at++];
    if (following === undefined) {
      onDone(top.node);
      stack.pop();
    } else if (!seen.has(following)) {
      seen.add(following);
      stack.push({ node: following, at: 0 });
    }
  }
}
