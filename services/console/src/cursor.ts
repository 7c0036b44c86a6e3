import { isRecordTime } from '@weir/contracts';
import { z } from 'zod';
import type { ValuePosition } from './by-value.ts';
import type { Position } from './page.ts';

const id = '([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})';
const timePattern = new RegExp(`^(-?\\d{1,15})\\.${id}$`);
/** As PostgreSQL writes a numeric. */
const valuePattern = new RegExp(`^usd(-1|\\d{1,78}(?:\\.\\d{1,36})?)\\.${id}$`);
/** Longer than any cursor. */
const maxLength = 250;

/** The end of a page, opaque to clients. It is a position between screenings, so new rows do not move it. */
export function encodeCursor(position: Position | ValuePosition): string {
  const { screeningId } = position;
  return Buffer.from(`${'usd' in position ? `usd${position.usd}` : position.requestedAt}.${screeningId}`).toString('base64url');
}

/** For zod's `transform`. Accepts only cursors of lists in the order of time. */
export function decodeCursor(cursor: string, context: z.RefinementCtx): Position {
  const [, at, screeningId = ''] = timePattern.exec(textOf(cursor)) ?? [];
  const position = { requestedAt: Number(at), screeningId };
  return isRecordTime(position.requestedAt) && encodeCursor(position) === cursor ? position : refuse(context);
}

/** The same for lists that are also sorted by value. */
export function decodeSortedCursor(cursor: string, context: z.RefinementCtx): Position | ValuePosition {
  const [, usd, screeningId = ''] = valuePattern.exec(textOf(cursor)) ?? [];
  return usd !== undefined && encodeCursor({ usd, screeningId }) === cursor ? { usd, screeningId } : decodeCursor(cursor, context);
}

export const notCursor = 'must be the next_cursor of an earlier answer';

function textOf(cursor: string): string {
  return cursor.length <= maxLength ? Buffer.from(cursor, 'base64url').toString('latin1') : '';
}

function refuse(context: z.RefinementCtx): never {
  context.addIssue({ code: 'custom', message: notCursor });
  return z.NEVER;
}
