import type { Queryable } from '@weir/postgres';

/** A change of the log by SQL, and what the verifier must say of it. */
interface Tampering {
  readonly sql: string;
  readonly named: RegExp;
}

export interface LogShape {
  readonly entries: number;
  /** Indexes of entries that an act has erased. */
  readonly erased: readonly number[];
  /** The event of that act, which is the last entry. */
  readonly act: string;
  /** First leaf and count of each row of audit.leaves. */
  readonly rows: readonly { readonly first: number; readonly count: number }[];
  /** Rows of audit.nodes, all of level 1. */
  readonly nodes: number;
  /** Of the log, over its first leaf. */
  readonly earlierNote: string;
  readonly forgedNote: string;
  readonly forgedKey: string;
}

type Pick = <T>(...choices: readonly T[]) => T;
type Below = (limit: number) => number;
type Kind = (of: LogShape, pick: Pick, below: Below) => Tampering;

/** The table's owner can do all this. */
export async function openTables(tx: Queryable): Promise<void> {
  for (const table of ['entries', 'leaves', 'nodes']) await tx.query(`ALTER TABLE audit.${table} DISABLE TRIGGER ALL`);
  for (const [table, constraint] of [
    ['entries', 'entries_pkey'],
    ['entries', 'entries_event_id_key'],
    ['entries', 'entries_index_check'],
    ['leaves', 'leaves_pkey'],
    ['nodes', 'nodes_pkey'],
    ['tree', 'tree_pkey'],
    ['checkpoint', 'checkpoint_pkey'],
  ])
    await tx.query(`ALTER TABLE audit.${table} DROP CONSTRAINT ${constraint}`);
}

const about = (index: number): RegExp => new RegExp(`entry ${index}\\b`);
const flip = (column: string, at: number): string => `${column} = set_byte(${column}, ${at}, 255 - get_byte(${column}, ${at}))`;
const other = (below: Below, size: number, not: number): number => (not + 1 + below(size - 1)) % size;

export const kinds: Readonly<Record<string, Kind>> = {
  'entries: altered': ({ entries, erased }, pick, below) => {
    const index = below(entries);
    const payload = erased.includes(index) ? [] : ['value = substring(value FROM 2)', `headers = '{}'`];
    const change = pick(
      ...payload,
      'event_id = gen_random_uuid()',
      'conflicts_with = gen_random_uuid()',
      "topic = topic || '.dlq'",
      "key = key || 'x'",
      "value = value || '\\x00'",
      `headers = headers || '{"ce_time": "2031-01-01T00:00:00Z"}'`,
      'log_partition = log_partition + 1',
      'log_offset = log_offset + 1',
      "event_time = event_time - interval '1 microsecond'",
      "recorded_at = recorded_at + interval '1 day'",
      'screening_id = gen_random_uuid()',
    );
    return { sql: `UPDATE audit.entries SET ${change} WHERE index = ${index}`, named: about(index) };
  },
  'entries: erased': ({ entries, erased, act, rows }, pick, below) => {
    const index = below(entries - 1);
    const { first } = rows.findLast((row) => row.first <= index) ?? { first: 0 };
    const by = pick('gen_random_uuid()', ...(erased.includes(index) ? [] : [`'${act}'::uuid`, 'event_id']));
    const emptied = `UPDATE audit.entries SET key = '', headers = '{}', value = '', screening_id = NULL, erased_by = ${by} WHERE index = ${index}`;
    const unsalted = `UPDATE audit.leaves SET salts = overlay(salts placing decode(repeat('00', 16), 'hex') from ${(index - first) * 16 + 1}) WHERE first = ${first}`;
    return { sql: pick(`${emptied}; ${unsalted}`, emptied), named: about(index) };
  },
  'erasures: altered': ({ erased }, pick) => {
    const index = pick(...erased);
    const change = pick('erased_by = NULL', "value = 'x'", "key = 'd-1'", 'erased_by = event_id', 'screening_id = event_id');
    return { sql: `UPDATE audit.entries SET ${change} WHERE index = ${index}`, named: about(index) };
  },
  'erasures: act removed': ({ act, erased }, pick) => {
    const change = pick('value = value || value', `value = ''`, "topic = 'screenings.scored'", `event_id = gen_random_uuid()`);
    return {
      sql: `UPDATE audit.entries SET ${change} WHERE event_id = '${act}'`,
      named: about(pick(...erased)),
    };
  },
  'entries: removed': ({ entries }, _, below) => {
    const [first, count] = [below(entries), 1 + below(3)];
    return {
      sql: `DELETE FROM audit.entries WHERE index >= ${first} AND index < ${first + count}`,
      named: new RegExp(`entry ${first} is missing`),
    };
  },
  'entries: reordered': ({ entries }, _, below) => {
    const one = below(entries);
    const two = other(below, entries, one);
    return { sql: `UPDATE audit.entries SET index = ${one + two} - index WHERE index IN (${one}, ${two})`, named: about(one) };
  },
  'entries: inserted': ({ entries }, pick, below) => {
    const [from, at] = [below(entries), pick(below(entries), entries + below(3), -1 - below(5))];
    const columns = 'topic, key, value, headers, log_partition, log_offset, event_time, screening_id, conflicts_with, recorded_at';
    const id = pick('event_id', 'gen_random_uuid()');
    return {
      sql: `INSERT INTO audit.entries (index, event_id, ${columns}) SELECT ${at}, ${id}, ${columns} FROM audit.entries WHERE index = ${from}`,
      named: about(at),
    };
  },
  'leaves: altered': ({ rows }, pick, below) => {
    const { first, count } = pick(...rows);
    const n = below(count);
    const [column, width] = pick<[string, number]>(['salts', 16], ['commitments', 32], ['hashes', 32]);
    return { sql: `UPDATE audit.leaves SET ${flip(column, n * width + below(width))} WHERE first = ${first}`, named: about(first + n) };
  },
  'leaves: shortened or lengthened': ({ rows }, pick) => {
    const { first } = pick(...rows);
    const column = pick('salts', 'commitments', 'hashes');
    const change = pick(`substring(${column} FROM 2)`, `${column} || '\\x00'`, `substring(${column} FROM 33)`);
    return {
      sql: `UPDATE audit.leaves SET ${column} = ${change} WHERE first = ${first}`,
      named: new RegExp(`row ${first} of audit.leaves`),
    };
  },
  'leaves: moved': ({ rows }, pick, below) => {
    const { first, count } = pick(...rows);
    const to = pick(first + 1 + below(5), 100_000 + below(5), -1 - below(5));
    return {
      sql: `UPDATE audit.leaves SET first = ${to} WHERE first = ${first}`,
      named: new RegExp(`the leaves ${first} to|row ${to} of audit.leaves|has ${first} leaves|entry ${first + count - 1}\\b`),
    };
  },
  'leaves: removed': ({ rows }, pick) => {
    const { first } = pick(...rows);
    return { sql: `DELETE FROM audit.leaves WHERE first = ${first}`, named: new RegExp(`the leaves ${first} to|has ${first} leaves`) };
  },
  'leaves: reordered': ({ rows }, _, below) => {
    const one = below(rows.length);
    const [a, b] = [rows[one]?.first ?? 0, rows[other(below, rows.length, one)]?.first ?? 0];
    return {
      sql: `UPDATE audit.leaves SET first = ${a + b} - first WHERE first IN (${a}, ${b})`,
      named: new RegExp(`entry ${Math.min(a, b)}\\b`),
    };
  },
  'leaves: inserted': ({ rows, entries }, pick, below) => {
    const [{ first }, at] = [pick(...rows), pick(below(entries), entries + below(5), -1 - below(5))];
    return {
      sql: `INSERT INTO audit.leaves SELECT ${at}, salts, commitments, hashes FROM audit.leaves WHERE first = ${first}`,
      named: new RegExp(`row ${at} of audit.leaves`),
    };
  },
  'nodes: altered': ({ nodes }, pick, below) => {
    const index = below(nodes);
    const change = pick(flip('hash', below(32)), "hash = hash || '\\x00'");
    return { sql: `UPDATE audit.nodes SET ${change} WHERE index = ${index}`, named: new RegExp(`hash 1/${index} `) };
  },
  'nodes: moved': ({ nodes }, pick, below) => {
    const index = below(nodes);
    const change = pick(`index = ${nodes + below(5)}`, 'level = 2', 'index = -1');
    return { sql: `UPDATE audit.nodes SET ${change} WHERE index = ${index}`, named: new RegExp(`lacks the hash 1/${index}$`, 'm') };
  },
  'nodes: removed': ({ nodes }, _, below) => {
    const index = below(nodes);
    return { sql: `DELETE FROM audit.nodes WHERE index = ${index}`, named: new RegExp(`lacks the hash 1/${index}$`, 'm') };
  },
  'nodes: reordered': ({ nodes }, _, below) => {
    const one = below(nodes);
    const two = other(below, nodes, one);
    return {
      sql: `UPDATE audit.nodes SET index = ${one + two} - index WHERE index IN (${one}, ${two})`,
      named: new RegExp(`hash 1/${one} `),
    };
  },
  'nodes: inserted': ({ nodes }, pick, below) => {
    const [level, index] = pick<[number, number]>([1, nodes + below(5)], [2, 0], [1, -1], [9, 0], [1, below(nodes)]);
    return {
      sql: `INSERT INTO audit.nodes SELECT ${level}, ${index}, hash FROM audit.nodes WHERE index = 0 AND level = 1`,
      named: new RegExp(`row ${level}/${index} `),
    };
  },
  'tree: altered': (_, pick, below) => ({
    sql: `UPDATE audit.tree SET ${pick(`size = size + ${1 + below(9)}`, `size = size - ${1 + below(9)}`, 'frontier = frontier[2:]', `frontier = array_append(frontier, '\\x00'::bytea)`, 'frontier[1] = set_byte(frontier[1], 0, 255 - get_byte(frontier[1], 0))')}`,
    named: /audit\.tree has/,
  }),
  'tree: removed': () => ({ sql: 'DELETE FROM audit.tree', named: /audit\.tree has 0 rows/ }),
  'tree: inserted': (_, pick) => ({
    sql: `ALTER TABLE audit.tree DROP CONSTRAINT tree_id_check; INSERT INTO audit.tree SELECT ${pick('true', 'false')}, size, frontier FROM audit.tree`,
    named: /audit\.tree has 2 rows/,
  }),
  'checkpoint: altered': ({ earlierNote, forgedNote, forgedKey }, pick, below) => ({
    sql: `UPDATE audit.checkpoint SET ${pick(
      `size = size + ${1 + below(9)}`,
      changedCharacter(30 + below(20)),
      "note = replace(note, E'\\n\\n', E'\\nmore\\n\\n')",
      `note = '${earlierNote}', size = 1`,
      `note = '${forgedNote}'`,
      `note = '${forgedNote}', keys = '${forgedKey}'`,
      `keys = '${forgedKey}'`,
      `keys = keys || E'\\n${forgedKey}'`,
      'keys = NULL',
    )}`,
    named: /checkpoint/,
  }),
  'checkpoint: removed': () => ({ sql: 'DELETE FROM audit.checkpoint', named: /audit\.checkpoint has no row/ }),
  'checkpoint: inserted': () => ({
    sql: 'ALTER TABLE audit.checkpoint DROP CONSTRAINT checkpoint_id_check; INSERT INTO audit.checkpoint SELECT false, size, note, signed_at, keys FROM audit.checkpoint',
    named: /audit\.checkpoint has 2 rows/,
  }),
};

/** Another character of base64 in the note, whichever stands there. */
function changedCharacter(at: number): string {
  return `note = overlay(note placing CASE substring(note FROM ${at} FOR 1) WHEN 'A' THEN 'B' ELSE 'A' END from ${at} for 1)`;
}
