import { systemClock } from '@weir/clock';
import { openPool } from '@weir/postgres';
import { finishErasures } from './unfinished.ts';

/** For tests to kill: stores the act of an approved erasure, and waits for an audit log that nobody writes. */
const pool = openPool({ url: process.argv[2] ?? '' });
await finishErasures({ pool, clock: systemClock, signal: new AbortController().signal, waitMs: 3_600_000 });
