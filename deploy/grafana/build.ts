import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { budget } from './budget.ts';
import { pipeline } from './pipeline.ts';
import { riskDecisions } from './risk-decisions.ts';
import { riskService } from './risk-service.ts';
import { stores } from './stores.ts';

/** Writes the dashboards. With `--check` it exits with 1 if a file is out of date. */
const dashboards = { 'risk-decisions': riskDecisions, pipeline, budget, 'risk-service': riskService, stores };
for (const [name, build] of Object.entries(dashboards)) {
  const file = join(import.meta.dirname, 'generated', `${name}.json`);
  const content = `${JSON.stringify(build(), null, 2)}\n`;
  if (!process.argv.includes('--check')) {
    writeFileSync(file, content);
  } else if (readFileSync(file, 'utf8') !== content) {
    process.stderr.write(`deploy/grafana/generated/${name}.json is not what deploy/grafana/build.ts makes; run it\n`);
    process.exitCode = 1;
  }
}
