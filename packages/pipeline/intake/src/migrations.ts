import type { Migration } from '@weir/postgres';

export const intakeMigrations: readonly Migration[] = [
  {
    id: 'intake/0001-initial',
    sql: `
      CREATE SCHEMA intake;
      -- Each transfer as it was first given, and the request made of it: its events are derived from these, whenever they are made.
      CREATE TABLE intake.transfers (
        screening_id uuid PRIMARY KEY,
        given jsonb NOT NULL,
        request jsonb NOT NULL);`,
  },
];
