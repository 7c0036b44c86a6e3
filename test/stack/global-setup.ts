import { startTestServer } from '@weir/postgres/testing';

/** One real PostgreSQL for the whole run; each test file makes its own database on it. */
export default async function setup(): Promise<() => Promise<void>> {
  return startTestServer();
}
