import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import avro from 'avsc';
import { parse } from 'yaml';

interface Message {
  readonly headers: object;
  /** Absent for dead letters, whose bytes are those of the original. */
  readonly payload?: { readonly schema?: avro.Schema };
}

interface Described {
  readonly channels: Readonly<Record<string, { address: string; messages: Readonly<Record<string, { $ref: string }>> }>>;
  readonly components: { readonly messages: Readonly<Record<string, Message>> };
}

/** A record as the audit log exports it. */
export interface ExportedRecord {
  readonly topic: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly value_base64: string;
}

const prefixBytes = 5;

/** Differences from asyncapi.yaml, by the validators of JSON Schema and of Avro and with none of the pipeline's own code. */
export function undescribed(records: readonly ExportedRecord[]): string[] {
  const file = join(import.meta.dirname, '..', '..', 'packages', 'domain', 'contracts', 'asyncapi.yaml');
  const { channels, components } = parse(readFileSync(file, 'utf8')) as Described;
  const ajv = formats.default(new Ajv2020({ strict: false }));
  const checks = new Map(
    Object.values(channels).map(({ address, messages }) => {
      const name = Object.values(messages)[0]?.$ref.split('/').at(-1) ?? '';
      const { headers, payload } = components.messages[name] as Message;
      const type = payload?.schema === undefined ? undefined : avro.Type.forSchema(payload.schema);
      return [address, { headers: ajv.compile(headers), type }] as const;
    }),
  );
  return records.flatMap(({ topic, key, headers, value_base64 }) => {
    const check = checks.get(topic);
    if (check === undefined) return [`${topic} is not described`];
    const problems = check.headers(headers) ? [] : [`${topic} ${key}: headers ${ajv.errorsText(check.headers.errors)}`];
    return [...problems, ...problemsOf(Buffer.from(value_base64, 'base64'), check.type).map((problem) => `${topic} ${key}: ${problem}`)];
  });
}

function problemsOf(value: Buffer, type: avro.Type | undefined): string[] {
  if (type === undefined) return [];
  if (value[0] !== 0 || value.length < prefixBytes) return ['the value does not begin with a zero byte and the id of a schema'];
  try {
    // Throws also for bytes behind the record.
    type.fromBuffer(value.subarray(prefixBytes));
    return [];
  } catch (error) {
    return [`the value is not of the described schema: ${(error as Error).message}`];
  }
}
