/**
 * Loaded before a process of Weir's (`node --import`): lets the test that started it set its wall clock, as an administrator or a time server
 * would, and ends the process with that test. The test sends `{ clockMs }`, by how much the clock is to be off; only `Date` is touched, for
 * the time that never goes back does not jump on a real machine either. Answers `{ clockMs }` when it is done.
 */
import { isMainThread } from 'node:worker_threads';

const Real = Date;
let offMs = 0;

if (isMainThread && process.send !== undefined) {
  globalThis.Date = new Proxy(Real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [target.now() + offMs] : args, newTarget) as object,
    apply: (target) => new target(target.now() + offMs).toString(),
    get: (target, name) => (name === 'now' ? () => target.now() + offMs : Reflect.get(target, name)),
  });
  process.on('message', (message: { clockMs: number }) => {
    offMs = message.clockMs;
    process.send?.(message);
  });
  // A test that is over, however it ended, must not leave processes behind; and its channel must not keep one that wants to end.
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.exit(1), 10_000).unref();
  });
  process.channel?.unref();
}
