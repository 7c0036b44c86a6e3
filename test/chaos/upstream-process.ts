/**
 * The risk API of a chaos run, in its own process so that the test cannot delay its counting. Takes `{ id, call, args }` over IPC, answers
 * `{ id, value }`, and exits with its parent.
 */
import { setPriority } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { mostInWindow, type Script, startUpstream } from '@weir/risk-client/testing';
import { levelOf, scoreOf } from './levels.ts';
import type { Figures, Mode } from './upstream.ts';

const limits = { perSecond: Number(process.argv[2]), perDay: 1_000_000 };
const upstream = await startUpstream(limits);
const stalls = monitorEventLoopDelay({ resolution: 5 });
stalls.enable();
try {
  // Count arrivals on time, even on a busy machine.
  setPriority(-10);
} catch {
  // Only root may raise the priority; otherwise `longestStallMs` reports the delay.
}

/** No entry can be mistaken for a level. */
const garbage: readonly { readonly status: number; readonly body: string; readonly type?: string }[] = [
  { status: 200, body: '<html><body>Service temporarily down</body></html>', type: 'text/html' },
  { status: 500, body: '' },
  { status: 502, body: 'Bad gateway', type: 'text/plain' },
  { status: 200, body: '' },
  { status: 200, body: '{"success": true, "msg": "", "data": {' },
  { status: 200, body: '{"success": true, "msg": "", "data": null}' },
  {
    status: 200,
    body: '{"success": true, "msg": "", "data": {"score": 3, "risk_level": "Harmless", "detail_list": [], "risk_detail": []}}',
  },
  { status: 200, body: '{"success": true, "msg": "", "data": {"score": 99, "risk_level": "Low", "detail_list": [], "risk_detail": []}}' },
  { status: 200, body: '[]' },
  { status: 200, body: 'null' },
  { status: 200, body: `{"success": true, "msg": "${'x'.repeat(1_200_000)}"}` },
];

let mode: Mode = 'well';
let asked = 0;

function script(subject: string): Script {
  asked += 1;
  const level = levelOf(subject);
  const data = { score: scoreOf[level], risk_level: level };
  if (mode === 'garbage') {
    const instead = garbage[asked % garbage.length];
    if (instead !== undefined) return { data, instead: { on: asked % 3 === 0 ? 'query' : 'create', ...instead } };
  }
  // At ten polls a second this takes 9 seconds, longer than every deadline of a run.
  if (mode === 'late') return { data, running: 90 };
  return { data, running: asked % 4, forgotten: asked % 50 === 0 ? 1 : 0 };
}

const calls: Record<string, (...args: never[]) => unknown> = {
  address: () => ({ url: upstream.url, apiKey: upstream.apiKey }),
  set: async (next: Mode) => {
    if (mode === 'away' && next !== 'away') await upstream.back();
    if (next === 'away' && mode !== 'away') await upstream.away();
    mode = next;
  },
  limitDay: (perDay: number | null) => {
    const accepted = upstream.creates.length - upstream.limited;
    limits.perDay = perDay === null ? 1_000_000 : accepted + perDay;
    return limits.perDay;
  },
  figures: (since: number): Figures => {
    const longestStallMs = stalls.max / 1e6;
    stalls.reset();
    const times = upstream.creates.slice(since).map(({ at }) => at);
    const tightestMs = times
      .slice(limits.perSecond)
      .reduce<number | null>((least, at, n) => Math.min(least ?? Infinity, at - (times[n] ?? 0)), null);
    return {
      creates: upstream.creates.length,
      mostInSecond: mostInWindow(times, 1_000),
      tightestMs,
      limited: upstream.limited,
      longestStallMs,
    };
  },
};

upstream.answer(script);
process.on('message', ({ id, call, args }: { id: number; call: string; args: never[] }) => {
  void Promise.resolve(calls[call]?.(...args)).then((value) => process.send?.({ id, value }));
});
process.once('disconnect', () => process.exit());
process.send?.({ id: 0, value: calls['address']?.() });
