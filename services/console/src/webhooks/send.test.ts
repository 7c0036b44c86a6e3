import { expect, test } from 'vitest';
import { type Attempt, blamesReceiver } from './send.ts';

const attempt = (over: Partial<Attempt>): Attempt => ({ status: null, fault: 'REFUSED', error: '', retryAfterMs: 0, ...over });

test.each<Partial<Attempt>>([
  { status: 429 },
  { status: 502 },
  { status: 503 },
  { status: 504 },
  { status: 500, retryAfterMs: 1 },
  { fault: 'UNREACHABLE' },
  { fault: 'TLS' },
])('%j blames the receiver', (over) => expect(blamesReceiver(attempt(over))).toBe(true));

test.each<Partial<Attempt>>([{ status: 422 }, { status: 500 }, { status: 302, fault: 'REDIRECT' }, { fault: 'TIMEOUT' }, { fault: 'CUT' }])(
  '%j may be caused by the message',
  (over) => expect(blamesReceiver(attempt(over))).toBe(false),
);
