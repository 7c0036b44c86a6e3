/** Wrong usage: one line, and exit code 2. */
export class UsageError extends Error {
  readonly code = 'USAGE';
  readonly retriable = false;
}

/** The reader of stdout has closed it, as `head` does. No error. */
export class OutputClosed extends Error {
  readonly code = 'OUTPUT_CLOSED';
  readonly retriable = false;
}

/** Ctrl-C, or SIGTERM. The message, if any, says how to continue. */
export class Interrupted extends Error {
  readonly code = 'INTERRUPTED';
  readonly retriable = true;
}

/** An error as one line for a person. Database errors may have a code and no message. */
export function lineOf(error: unknown): string {
  const { message, code } = (error ?? {}) as { message?: unknown; code?: unknown };
  const text = typeof message === 'string' && message !== '' ? message : typeof code === 'string' ? code : 'failed';
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
