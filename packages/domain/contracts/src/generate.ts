/** One file of `schemas/`, named after its topic. */
export interface SchemaFile {
  readonly topic: string;
  readonly text: string;
}

type Avro = string | Avro[] | AvroNamed;
interface AvroNamed {
  readonly type: Avro;
  readonly name?: string;
  readonly doc?: string;
  readonly fields?: readonly { name: string; type: Avro; doc?: string }[];
  readonly symbols?: readonly string[];
  readonly items?: Avro;
}

const primitives: Readonly<Record<string, string>> = {
  null: 'null',
  boolean: 'boolean',
  int: 'number',
  long: 'number',
  float: 'number',
  double: 'number',
  string: 'string',
  bytes: 'Buffer',
};

/**
 * Generates types, and schemas as text, so that nothing is read from disk at run time.
 * Throws when two schemas define one name differently.
 */
export function generateRecords(files: readonly SchemaFile[]): string {
  const declared = new Map<string, string>();
  const topics = files.map(({ topic, text }) => {
    const schema = JSON.parse(text) as AvroNamed;
    return { topic, type: typeOf(schema, declared), schema: JSON.stringify(schema) };
  });
  return [
    '// Made from schemas/*.avsc by `npm run generate`. Do not edit.',
    '',
    ...declared.values(),
    '/** The record type of each topic. */',
    'export interface TopicRecords {',
    ...topics.map(({ topic, type }) => `  '${topic}': ${type};`),
    '}',
    '',
    '/** The Avro schema of each topic, as JSON. */',
    'export const topicSchemas: Readonly<Record<keyof TopicRecords, string>> = {',
    ...topics.map(({ topic, schema }) => `  '${topic}':\n    ${quote(schema)},`),
    '};',
    '',
  ].join('\n');
}

function typeOf(avro: Avro, declared: Map<string, string>): string {
  if (typeof avro === 'string') return primitives[avro] ?? avro.split('.').at(-1) ?? avro;
  if (Array.isArray(avro))
    return avro
      .map((branch) => typeOf(branch, declared))
      .sort(nullLast)
      .join(' | ');
  if (avro.type === 'record') return declare(avro, recordText(avro, declared), declared);
  if (avro.type === 'enum') return declare(avro, enumText(avro), declared);
  if (avro.type === 'array') return `readonly ${typeOf(avro.items ?? 'null', declared)}[]`;
  return typeOf(avro.type, declared);
}

function nullLast(a: string, b: string): number {
  return Number(a === 'null') - Number(b === 'null');
}

function declare(avro: AvroNamed, text: string, declared: Map<string, string>): string {
  const name = avro.name ?? '';
  const before = declared.get(name);
  if (before !== undefined && before !== text) throw new Error(`two different schemas are called ${name}`);
  declared.set(name, text);
  return name;
}

function recordText(avro: AvroNamed, declared: Map<string, string>): string {
  const fields = (avro.fields ?? []).flatMap(({ name, type, doc }) => [
    ...(doc === undefined ? [] : [`  /** ${doc} */`]),
    `  ${name}: ${typeOf(type, declared)};`,
  ]);
  return [`/** ${avro.doc ?? ''} */`, `export interface ${avro.name} {`, ...fields, '}', ''].join('\n');
}

function enumText(avro: AvroNamed): string {
  const union = (avro.symbols ?? []).map((symbol) => `'${symbol}'`).join(' | ');
  return [`/** ${avro.doc ?? ''} */`, `export type ${avro.name} = ${union};`, ''].join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
