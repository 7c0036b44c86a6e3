import { isRecordTime } from '@weir/contracts';
import { z } from 'zod';
import type { Position } from './page.ts';

/** The end of a page, opaque to clients. It is a position between screenings, so new rows do not move it. */
export function encodeCursor({ requestedAt, screeningId }: Position): string {
  return Buffer.from(`${requestedAt}.${screeningId}`).toString('base64url');
}

/** For zod's `transform`. Accepts only cursors of `encodeCursor`. */
export function decodeCursor(cursor: string, context: z.RefinementCtx): Position {
  const text = cursor.length <= 100 ? Buffer.from(cursor, 'base64url').toString('latin1') : '';
  const [, at, screeningId] = /^(-?\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ?? [];
  const position = { requestedAt: Number(at), screeningId: screeningId ?? '' };
  if (isRecordTime(position.requestedAt) && encodeCursor(position) === cursor) return position;
  context.addIssue({ code: 'custom', message: 'must be the next_cursor of an earlier answer' });
  return z.NEVER;
}
