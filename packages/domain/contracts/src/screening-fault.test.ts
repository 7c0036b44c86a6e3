import { expect, test } from 'vitest';
import { isRecordTime, questionOf, type ScreeningScored, screeningFault, screeningId } from './index.ts';
import { requested } from './testing.ts';

const request = requested('d-1');
const { transfer } = request;
const yearOne = Date.parse('0001-01-01T00:00:00Z');
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

test.each<[string, Partial<ScreeningScored>, string | undefined]>([
  ['as it should be', {}, undefined],
  ['a transfer of the year 1, a zero time', { transfer: { ...transfer, occurred_at: yearOne } }, undefined],
  ['the first and the last moment', { requested_at: yearOne, deadline_at: lastMoment }, undefined],
  ['an id of another transfer', { screening_id: screeningId('deposit', 'd-2') }, 'INVALID_SCREENING_ID'],
  ['another kind than its transfer', { kind: 'withdrawal' }, 'INVALID_SCREENING_ID'],
  ['attempt 0', { attempt: 0 }, 'INVALID_SCREENING'],
  ['sequence 0', { sequence: 0 }, 'INVALID_SCREENING'],
  ['a request before all times', { requested_at: yearOne - 1 }, 'INVALID_SCREENING'],
  ['a deadline after all times', { deadline_at: lastMoment + 1 }, 'INVALID_SCREENING'],
  ['a transfer after all times', { transfer: { ...transfer, occurred_at: lastMoment + 1 } }, 'INVALID_SCREENING'],
  ['a subject that is not its transfer’s', { subject: transfer.to_address.replace('28', '29') }, 'INVALID_SUBJECT'],
  ['a type of subject that is not its transfer’s', { subject_type: 'txid' }, 'INVALID_SUBJECT'],
  ['a direction that is not its transfer’s', { direction: 'withdraw' }, 'INVALID_SUBJECT'],
  ['a sender as the subject where the transaction is known', { transfer: { ...transfer, txid: `0x${'a'.repeat(64)}` } }, 'INVALID_SUBJECT'],
  ['a NUL', { transfer: { ...transfer, user_id: 'a\0b' } }, 'INVALID_SCREENING'],
])('an event of a screening with %s', (_, over, reason) => {
  const fault = screeningFault({ ...request, ...over });
  expect(fault?.reason).toBe(reason);
  if (reason !== undefined) expect(fault?.detail).toMatch(/\S/);
});

test.each([{ chain: 'base' }, { coin: 'USDT-ERC20' }])('a request with %o that is not its transfer’s', (over) => {
  expect(screeningFault({ ...request, ...over })?.reason).toBe('INVALID_SUBJECT');
});

test('a withdrawal is asked about by its receiver', () => {
  const withdrawal = { ...transfer, kind: 'withdrawal', from_address: null, to_address: `0x${'b'.repeat(40)}` } as const;
  const asked = { ...request, kind: 'withdrawal', screening_id: screeningId('withdrawal', 'd-1'), transfer: withdrawal } as const;
  expect(screeningFault({ ...asked, ...questionOf(withdrawal) })).toBeUndefined();
  expect(screeningFault({ ...asked, direction: 'withdraw' })?.reason).toBe('INVALID_SUBJECT');
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, 1.5, yearOne - 1, lastMoment + 1, Number.MIN_SAFE_INTEGER])(
  '%d is no time of a record',
  (ms) => {
    expect(isRecordTime(ms)).toBe(false);
  },
);
