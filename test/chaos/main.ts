/** `npm run chaos -- --runs N --seed S`: longer runs than the tests have. Prints for each run the command that repeats it. */
import { parseArgs } from 'node:util';
import { killUnderLoad } from './kill.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, seed: { type: 'string', default: '1' }, kills: { type: 'string', default: '20' } },
});

let failed = 0;
for (let n = 0; n < Number(values.runs); n += 1) {
  const seed = Number(values.seed) + n;
  const { books, ...run } = await killUnderLoad({ seed, kills: Number(values.kills) });
  const { decided, ...faults } = books;
  const good =
    decided === run.acknowledged &&
    Object.values(faults)
      .flat()
      .every((fault) => fault === 0) &&
    run.limited === 0;
  if (!good) failed += 1;
  process.stdout.write(
    `${good ? 'held  ' : 'FAILED'} ${JSON.stringify({ ...run, ...books })}\n       npm run chaos -- --runs 1 --seed ${seed} --kills ${values.kills}\n`,
  );
}
process.exitCode = failed === 0 ? 0 : 1;
