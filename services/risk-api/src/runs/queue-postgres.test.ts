import { ManualClock } from '@weir/clock';
import { createLogger } from '@weir/service-kit';
import { expect, test, vi } from 'vitest';
import { openRunQueue, type RunQueue } from './queue.ts';

/** Runs that wait, as in the records, and a queue whose work ends when the test says so. */
async function open(concurrency: number, waiting: Set<string> = new Set()) {
  const clock = new ManualClock();
  const begun: string[] = [];
  const ends = new Map<string, { done: () => void; failed: (error: Error) => void }>();
  const lines: string[] = [];
  const queue: RunQueue = await openRunQueue({
    redisUrl: '',
    clock,
    logger: createLogger({ service: 'risk-api', level: 'warn', destination: { write: (line: string) => void lines.push(line) } }),
    concurrency,
    waiting: async (limit) => [...waiting].slice(0, limit),
    work: (runId) => {
      waiting.delete(runId);
      begun.push(runId);
      return new Promise<void>((done, failed) => ends.set(runId, { done, failed }));
    },
  });
  return {
    clock,
    queue,
    waiting,
    begun,
    lines,
    end: (runId: string) => ends.get(runId)?.done(),
    fail: (runId: string) => ends.get(runId)?.failed(new Error('away')),
  };
}

test('a free worker takes a new run at once; a further one waits in its record until a worker is free', async () => {
  const { queue, waiting, begun, end } = await open(1);
  await queue.enqueue('a', 1);
  waiting.add('b');
  await queue.enqueue('b', 1);
  expect(begun).toEqual(['a']);
  end('a');
  await vi.waitFor(() => expect(begun).toEqual(['a', 'b']));
  end('b');
  await queue.close();
});

test('a run that another process left is found within a second', async () => {
  const { clock, queue, waiting, begun, end } = await open(2);
  await vi.waitFor(() => expect(clock.sleeping).toBe(1));
  waiting.add('left');
  await clock.advance(1_000);
  expect(begun).toEqual(['left']);
  end('left');
  await queue.close();
});

test('a run that failed is not begun again at once, and its error is logged', async () => {
  const { clock, queue, waiting, begun, lines, end, fail } = await open(2);
  await vi.waitFor(() => expect(clock.sleeping).toBe(1));
  await queue.enqueue('a', 1);
  waiting.add('a');
  fail('a');
  await vi.waitFor(() => expect(lines.join('')).toContain('away'));
  expect(begun).toEqual(['a']);
  await clock.advance(1_000);
  expect(begun).toEqual(['a', 'a']);
  end('a');
  await queue.close();
});

test('a process without workers takes nothing', async () => {
  const { clock, queue, begun } = await open(0, new Set(['a']));
  await queue.enqueue('b', 1);
  await clock.advance(5_000);
  expect(begun).toEqual([]);
  await queue.close();
});

test('closing waits for the runs in progress, and takes no more', async () => {
  const { queue, waiting, begun, end } = await open(1);
  await queue.enqueue('a', 1);
  waiting.add('b');
  const closing = queue.close();
  end('a');
  await closing;
  await queue.enqueue('c', 1);
  expect(begun).toEqual(['a']);
});
