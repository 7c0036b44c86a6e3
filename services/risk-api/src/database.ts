import { databaseError, PostgresError, type Queryable } from '@weir/postgres';

/** SQLSTATEs of overload: out of resources, or the statement took too long. Retriable, unlike a wrong statement. */
const overload = /^(53|57014$|55P03$)/;

/**
 * Distinguishes an unreachable database from a wrong statement. Only the server's own errors have a severity; an error without one means
 * that no answer came. It becomes `DATABASE_UNAVAILABLE`, others pass.
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
