import { Graph as LayoutGraph, layout } from '@dagrejs/dagre';
import type { Graph, GraphEdge, GraphNode } from './model.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Pixels; points are centres. */
export interface Placed {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly (Point & { readonly node: GraphNode })[];
  readonly edges: readonly { readonly edge: GraphEdge; readonly points: readonly Point[]; readonly label: Point }[];
}

export const nodeSize = { width: 176, height: 48 };
export const foldedSize = { width: 132, height: 34 };
export const labelSize = { width: 132, height: 36 };

/** In layers from left to right, as the money goes. */
export function place({ nodes, edges }: Graph): Placed {
  const graph = new LayoutGraph<Record<string, unknown>>();
  // The default ranker takes ten times as long with 500 nodes, and places ways no better.
  graph.setGraph({ rankdir: 'LR', ranker: 'tight-tree', nodesep: 22, edgesep: 12, ranksep: 26, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, kind } of nodes) graph.setNode(id, { ...(kind === 'folded' ? foldedSize : nodeSize) });
  for (const { from, to } of edges) graph.setEdge(from, to, { ...labelSize, labelpos: 'c' });
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: nodes.map((node) => ({ node, ...pointOf(graph.node(node.id)) })),
    edges: edges.map((edge) => {
      const found = graph.edge(edge.from, edge.to) as Partial<Point> & { points?: readonly Point[] };
      return { edge, points: (found.points ?? []).map(pointOf), label: pointOf(found) };
    }),
  };
}

function pointOf(found: unknown): Point {
  const { x = 0, y = 0 } = found as Partial<Point>;
  return { x, y };
}
