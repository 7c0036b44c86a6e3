import { z } from 'zod';

export type Json = Readonly<Record<string, unknown>>;

type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;
/** The type that a schema describes. */
export type Described<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

/** A schema without the fields that name its dialect and place. */
export function bare({ $schema: _dialect, $id: _place, ...schema }: Json): Json {
  return schema;
}

/** JSON schema of a zod schema. Schemas with an id become `components`, which it refers to. */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output', components: Record<string, unknown>): Json {
  const made = z.toJSONSchema(schema, { io, override: withoutPatterns });
  const {
    $defs = {},
    id: _id,
    ...own
  } = JSON.parse(JSON.stringify(bare(made)).replaceAll('"#/$defs/', '"#/components/schemas/')) as {
    $defs?: Record<string, Json>;
    id?: string;
  };
  for (const [name, { id: _named, ...definition }] of Object.entries($defs)) components[name] = definition;
  return own;
}

/** A format says enough; zod adds its pattern, of several lines for a time. */
function withoutPatterns({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Json & { description?: string; example?: unknown }>>;
  readonly required?: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;

/** OpenAPI parameters of the fields of an object. An example of the call goes before that of the field. */
export function parametersOf(place: 'query' | 'path' | 'header', schema: z.ZodObject, examples: Values): Json[] {
  const { properties = {}, required = [] } = jsonSchemaOf(schema, 'input', {}) as ObjectSchema;
  return Object.entries(properties).map(([name, { description, example, ...own }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: own,
    ...(Object.hasOwn(examples, name) ? { example: examples[name] } : example === undefined ? {} : { example }),
  }));
}
