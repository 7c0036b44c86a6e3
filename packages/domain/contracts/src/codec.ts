import avro from 'avsc';
import { topicSchemas, type TopicRecords } from './generated/records.ts';
import { type Topic, topics } from './topics.ts';

/** A table in the embedded tier, a schema registry in production. */
export interface SchemaIds {
  /** Returns the schema's id; registers a new schema. */
  register(topic: Topic, schema: string): Promise<number>;
  find(id: number): Promise<string | undefined>;
}

/** `code` becomes the dead letter's reason. */
export class UndecodableRecord extends Error {
  readonly code = 'UNDECODABLE';
  readonly retriable = false;
}

const magic = 0;
const headerBytes = 5;
const scratchBytes = 16 * 1024;

/**
 * The registry's wire format: a zero byte, the schema id in four bytes (big-endian), then Avro.
 * Decoding resolves the writer's schema to the current one.
 */
export class Codec {
  readonly #ids: SchemaIds;
  readonly #types = new Map<Topic, { id: number; type: avro.Type }>();
  readonly #readers = new Map<string, (body: Buffer) => unknown>();
  /** Several stages of a process get a record as the same bytes. */
  readonly #decoded = new WeakMap<Buffer, { readonly topic: Topic; readonly record: unknown }>();
  /** Each record is encoded here, and copied at its length. */
  #scratch = Buffer.allocUnsafe(scratchBytes);

  private constructor(ids: SchemaIds) {
    this.#ids = ids;
  }

  static async open(ids: SchemaIds): Promise<Codec> {
    const codec = new Codec(ids);
    for (const topic of topics) {
      const type = avro.Type.forSchema(JSON.parse(topicSchemas[topic]));
      const id = await ids.register(topic, topicSchemas[topic]);
      codec.#types.set(topic, { id, type });
      codec.#readers.set(`${topic}/${id}`, (body) => type.fromBuffer(body));
    }
    return codec;
  }

  /** Throws a TypeError that names the unfit field. */
  encode<T extends Topic>(topic: T, record: TopicRecords[T]): Buffer {
    const { id, type } = this.#own(topic);
    let end: number;
    try {
      end = type.encode(record, this.#scratch, headerBytes);
      if (end < 0) {
        // Negative: the missing bytes.
        this.#scratch = Buffer.allocUnsafe(2 * (this.#scratch.length - end));
        end = type.encode(record, this.#scratch, headerBytes);
      }
    } catch (error) {
      throw unfit(topic, type, record) ?? error;
    }
    this.#scratch.writeUInt8(magic, 0);
    this.#scratch.writeUInt32BE(id, 1);
    return Buffer.from(this.#scratch.subarray(0, end));
  }

  /**
   * Rejects with `UndecodableRecord`. Any other error means that the schema lookup failed for now. The same buffer gives the same record
   * again, so neither may be changed.
   */
  async decode<T extends Topic>(topic: T, bytes: Buffer): Promise<TopicRecords[T]> {
    const known = this.#decoded.get(bytes);
    if (known?.topic === topic) return known.record as TopicRecords[T];
    if (bytes.length < headerBytes || bytes.readUInt8(0) !== magic) throw new UndecodableRecord('not in the wire format');
    const reader = await this.#reader(topic, bytes.readUInt32BE(1));
    try {
      const record = reader(bytes.subarray(headerBytes)) as TopicRecords[T];
      this.#decoded.set(bytes, { topic, record });
      return record;
    } catch {
      throw new UndecodableRecord('does not fit its schema');
    }
  }

  /** The schema that a record was written with, and its number. Undefined where it names none that is known. */
  async schemaOf(bytes: Buffer): Promise<{ id: number; schema: string } | undefined> {
    if (bytes.length < headerBytes || bytes.readUInt8(0) !== magic) return undefined;
    const id = bytes.readUInt32BE(1);
    const own = topics.find((topic) => this.#own(topic).id === id);
    const schema = own === undefined ? await this.#ids.find(id) : topicSchemas[own];
    return schema === undefined ? undefined : { id, schema };
  }

  async #reader(topic: Topic, id: number): Promise<(body: Buffer) => unknown> {
    const key = `${topic}/${id}`;
    const known = this.#readers.get(key);
    if (known !== undefined) return known;
    const schema = await this.#ids.find(id);
    if (schema === undefined) throw new UndecodableRecord(`no schema has the number ${id}`);
    const { type } = this.#own(topic);
    try {
      const writer = avro.Type.forSchema(JSON.parse(schema));
      const resolver = type.createResolver(writer);
      const read = (body: Buffer): unknown => type.fromBuffer(body, resolver);
      this.#readers.set(key, read);
      return read;
    } catch {
      throw new UndecodableRecord(`schema ${id} is not one of ${topic}`);
    }
  }

  #own(topic: Topic): { id: number; type: avro.Type } {
    const own = this.#types.get(topic);
    if (own === undefined) throw new TypeError(`unknown topic ${topic}`);
    return own;
  }
}

/** Names the field. Only for a record that could not be written, since a second pass costs as much as the first. */
function unfit(topic: Topic, type: avro.Type, record: unknown): TypeError | undefined {
  let found: TypeError | undefined;
  type.isValid(record, {
    errorHook: (path) => {
      found ??= new TypeError(`${topic}: field ${path.join('.')} does not fit its schema`);
    },
  });
  return found;
}

/** For tests and tools without a store. */
export function memorySchemaIds(): SchemaIds {
  const known: string[] = [];
  return {
    register: async (_topic, schema) => {
      const at = known.indexOf(schema);
      return (at >= 0 ? at : known.push(schema) - 1) + 1;
    },
    find: async (id) => known[id - 1],
  };
}
