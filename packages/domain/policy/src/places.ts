import { type Document, isMap, isNode, isScalar, isSeq, type Node, type Scalar } from 'yaml';

/** Line and column count from 1, length is in characters. */
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

export interface PolicyProblem extends Place {
  /** Such as `deposit.Severe`; `the top` for the file itself. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

export function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}

/** The value at `path`, its key `key`, or its characters `start` to `end`. Missing values are placed at their parent. */
export function placeOf(
  document: Document.Parsed,
  text: string,
  path: readonly PropertyKey[],
  key?: string,
  start?: number,
  end?: number,
): Place {
  const { node, name } = find(document, key === undefined ? path : [...path, key]);
  const [from, to] = (key !== undefined ? (name ?? node) : node)?.range ?? [0, 1];
  if (start !== undefined && isScalar(node)) {
    const first = offsetIn(text, node, start);
    return { ...positionOf(text, first), length: Math.max(offsetIn(text, node, (end ?? start + 1) - 1) + 1 - first, 1) };
  }
  const line = text.slice(from, to).split('\n')[0] ?? '';
  return { ...positionOf(text, from), length: Math.max(line.trimEnd().length, 1) };
}

/** The deepest existing node on the path. */
function find(document: Document.Parsed, path: readonly PropertyKey[]): { node: Node | undefined; name: Node | undefined } {
  let node: unknown = document.contents;
  let name: Node | undefined;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      // More precise than the parent's first entry.
      if (pair === undefined) return { node: name ?? (isNode(node) ? node : undefined), name };
      name = pair.key as Node;
      node = isNode(pair.value) ? pair.value : name;
    } else if (isSeq(node)) {
      name = undefined;
      node = node.items[Number(step)];
    } else break;
  }
  return { node: isNode(node) ? node : name, name };
}

/** Offset in the file of a value's character, through quotes, escapes and folded lines. */
function offsetIn(text: string, node: Scalar, index: number): number {
  const [from, to] = node.range ?? [0, 0, 0];
  const value = String(node.value);
  let at = from;
  if (node.type === 'QUOTE_SINGLE' || node.type === 'QUOTE_DOUBLE') at += 1;
  if (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED') at = text.indexOf('\n', from) + 1;
  for (let n = 0; at < to; n += 1) {
    const wanted = value[n] ?? '';
    // Line breaks and indentation are one character of the text, or none.
    if (!/\s/.test(wanted)) while (/\s/.test(text[at] ?? '') && at < to) at += 1;
    if (n === index) return at;
    if (/\s/.test(wanted) && !/\s/.test(text[at] ?? '')) continue;
    const isDoubled = node.type === 'QUOTE_SINGLE' && text.startsWith("''", at);
    const isEscaped = node.type === 'QUOTE_DOUBLE' && text[at] === '\\';
    at += isDoubled || isEscaped ? 2 : 1;
  }
  return Math.max(Math.min(at, to - 1), from);
}
