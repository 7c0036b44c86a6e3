import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** Tests that read public files. `npm test` runs them on small files from the sample. */
const files = ['packages/data/chain-import/src', 'packages/cli/src/import/import.test.ts', 'services/risk-api/src/real-cases.test.ts'];
const conformance = 'services/risk-api/src/conformance/rows.test.ts';

const usage = `Usage: npm run test:data -- --data FOLDER [--spec FOLDER]
  --data FOLDER  the whole public files: labels/, prices/, transfers/
  --spec FOLDER  the pages of the risk service's specification: risk-service.md, open-points.md`;

/** `npm run test:data`: runs them on the full public files, and checks the table of specified rows against the specification. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { data: { type: 'string' }, spec: { type: 'string' } } });
  if (values.data === undefined && values.spec === undefined) throw new Error(usage);
  const missing = [values.data && join(values.data, 'labels', 'ofac.csv'), values.spec && join(values.spec, 'risk-service.md')].find(
    (path) => path && !existsSync(path),
  );
  if (missing) throw new Error(`${missing} is not there\n${usage}`);
  const tests = [...(values.data === undefined ? [] : files), ...(values.spec === undefined ? [] : [conformance])];
  const env = {
    ...process.env,
    ...(values.data === undefined ? {} : { WEIR_TEST_DATA: resolve(values.data) }),
    ...(values.spec === undefined ? {} : { WEIR_TEST_SPEC: resolve(values.spec) }),
  };
  const vitest = spawn(process.execPath, [join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...tests], { env, stdio: 'inherit' });
  const [code] = (await once(vitest, 'exit')) as [number | null];
  return code ?? 1;
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
