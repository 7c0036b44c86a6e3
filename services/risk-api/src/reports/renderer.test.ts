import { expect, it } from 'vitest';
import { renderApart } from './renderer.ts';
import { reportOf } from '@weir/risk-report/testing';

it('what takes too long is killed', async () => {
  const late = new AbortController();
  const rendering = renderApart(reportOf(), late.signal);
  late.abort();
  await expect(rendering).rejects.toThrow('aborted');
  await expect(renderApart(reportOf(), AbortSignal.abort())).rejects.toThrow('aborted');
});

it('what cannot be rendered fails with the reason', async () => {
  await expect(renderApart(reportOf(undefined, { madeAtMs: Number.NaN }), new AbortController().signal)).rejects.toThrow(
    'Invalid time value',
  );
});
