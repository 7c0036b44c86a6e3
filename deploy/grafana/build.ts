import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { riskDecisions } from './risk-decisions.ts';

/** Writes the dashboard. With `--check` it exits with 1 if the file is out of date. */
const file = join(import.meta.dirname, 'generated', 'risk-decisions.json');
const content = `${JSON.stringify(riskDecisions(), null, 2)}\n`;
if (!process.argv.includes('--check')) {
  writeFileSync(file, content);
} else if (readFileSync(file, 'utf8') !== content) {
  process.stderr.write('deploy/grafana/generated/risk-decisions.json is not what deploy/grafana/build.ts makes; run it\n');
  process.exitCode = 1;
}
