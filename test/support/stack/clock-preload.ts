/**
 * Preloaded into a Weir process (`node --import`), so that its test can set the wall clock. The test sends `{ clockMs }`, the offset, and
 * gets it back. Only `Date` changes: the monotonic clock does not jump on a real machine either.
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
  // The process must end with its test, and the channel must not keep a finished process alive.
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.exit(1), 10_000).unref();
  });
  process.channel?.unref();
}
