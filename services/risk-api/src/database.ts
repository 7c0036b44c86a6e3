import { databaseError, PostgresError, type Queryable } from '@weir/postgres';

/** Overload, as the server itself tells it: out of resources, or the statement took too long. Retriable, unlike a wrong statement. */
const overload = /^(53|57014$|55P03$)/;

/**
 * The pool, with failures to reach the database told apart from statements that are wrong: what fails without the server's own
 * error report (which has a severity) never got an answer. Fails with `DATABASE_UNAVAILABLE` then, and as the pool does otherwise.
 */
export function tellingOutages(pool: Queryable): Queryable {
  return {
    query: async (text, values) => {
      try {
        return await pool.query(text, values);
      } catch (error) {
        const { severity, code } = error as { severity?: unknown; code?: unknown };
        if (severity === undefined || overload.test(String(code))) {
          throw new PostgresError('DATABASE_UNAVAILABLE', 'the database gave no answer', { cause: error });
        }
        throw databaseError(error);
      }
    },
  };
}
