import { parseAst } from 'vitest/node';

/** A node of the syntax tree; only what is read here. */
interface Node {
  readonly type: string;
  readonly [property: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const nodesIn = (value: unknown): readonly Node[] => (Array.isArray(value) ? value : [value]).filter(isNode);

/** The titles of the tests and suites in a source text. A table's are its title, and the same for each row that is written out. */
export function testTitles(source: string): Set<string> {
  const titles = new Set<string>();
  const visit = (node: Node): void => {
    for (const title of node.type === 'CallExpression' && isTest(node['callee']) ? titlesOf(node) : []) titles.add(title);
    for (const value of Object.values(node)) for (const child of nodesIn(value)) visit(child);
  };
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node);
  return titles;
}

/** `test`, `it` or `describe`, also with `.each(…)`, `.runIf(…)` and the like after it. */
function isTest(callee: unknown): boolean {
  if (!isNode(callee)) return false;
  if (callee.type === 'Identifier') return ['test', 'it', 'describe'].includes(String(callee['name']));
  return isTest(callee.type === 'MemberExpression' ? callee['object'] : callee['callee']);
}

function titlesOf(call: Node): string[] {
  const title = text(nodesIn(call['arguments'])[0]);
  if (title === undefined) return [];
  const [table] = nodesIn((call['callee'] as Node)['arguments']);
  const rows = table?.type === 'ArrayExpression' ? nodesIn(table['elements']) : [];
  return [title, ...rows.flatMap((row) => titleOfRow(title, row))];
}

function titleOfRow(title: string, row: Node): string[] {
  const first = text(row.type === 'ArrayExpression' ? nodesIn(row['elements'])[0] : row);
  return first === undefined ? [] : [title.replace('%s', () => first)];
}

function text(node: Node | undefined): string | undefined {
  if (node?.type === 'TemplateLiteral')
    return nodesIn(node['quasis'])
      .map(({ value }) => (value as { cooked: string }).cooked)
      .join('…');
  return node?.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;
}
