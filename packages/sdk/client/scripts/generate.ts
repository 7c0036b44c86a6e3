/** Writes src/generated/api.ts from the description of the pipeline's port. With --check it exits 1 when the file is out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import type { Node } from 'typescript';
import { describePipeline } from '../../../installation/src/services.ts';

interface Described {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: { properties?: { code?: { enum?: string[] } } } }> }>>;
}
type Paths = Record<string, Record<string, Described>>;

const target = join(import.meta.dirname, '..', 'src', 'generated', 'api.ts');
const description = (await describePipeline()) as { paths: Paths };
const wanted = await generate(description);
if (!process.argv.includes('--check')) writeFileSync(target, wanted);
else if (readFileSync(target, 'utf8') !== wanted) {
  process.stderr.write('packages/sdk/client/src/generated/api.ts is not what the services describe: run npm run generate\n');
  process.exitCode = 1;
}

async function generate({ paths, ...rest }: { paths: Paths }): Promise<string> {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, own]) => ({ path, method: method.toUpperCase(), own })),
  );
  const answers = ([status]: [string, unknown]): boolean => status.startsWith('2');
  const slim = Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, own]) => [
          method,
          { ...own, description: undefined, responses: Object.fromEntries(Object.entries(own.responses).filter(answers)) },
        ]),
      ),
    ]),
  );
  const nodes = await openapiTS({ ...rest, paths: slim } as unknown as OpenAPI3, { immutable: true });
  const types = astToString(
    nodes.filter((node: Node & { name?: { text?: string } }) => ['components', 'operations'].includes(node.name?.text ?? '')),
  );
  const codes = all.flatMap(({ own }) =>
    Object.entries(own.responses)
      .filter((entry) => !answers(entry))
      .flatMap(([, { content = {} }]) => Object.values(content).flatMap(({ schema }) => schema.properties?.code?.enum ?? [])),
  );
  const routes = all.map(({ own, method, path }) => `  ${own.operationId}: ['${method}', '${path}'],`);
  return [
    '// Made by `npm run generate`. Do not edit.',
    types.trimEnd(),
    '/** Method and path of each operation. */',
    `export const routes = {\n${routes.join('\n')}\n} as const;`,
    '/** Codes of the problems that operations answer with. */',
    `export type ProblemCode =\n${[...new Set(codes)]
      .toSorted()
      .map((code) => `  | '${code}'`)
      .join('\n')};`,
    '',
  ].join('\n');
}
