import { systemClock } from '@weir/clock';
import { Claims, openPool, openSession } from './index.ts';
import { claimJobs, type Job, jobs } from './claims.testing.ts';

/** For tests to kill: claims two jobs, prints their ids, and never ends them. */
const url = process.argv[2] ?? '';
const pool = openPool({ url });
const session = await openSession({ url, clock: systemClock });
const claims: Claims<Job> = new Claims<Job>({
  pool,
  clock: systemClock,
  owner: () => session.owner(),
  table: jobs,
  claim: (owner) => claimJobs(pool, owner, 2 - claims.running),
  begin: (job) => {
    void claims.run(job, Promise.withResolvers<void>().promise);
    process.stdout.write(`${job.id}\n`);
  },
  onError: (error) => {
    throw error;
  },
});
claims.start();
