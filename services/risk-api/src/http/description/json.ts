export type Json = Readonly<Record<string, unknown>>;

/** Inside a document these fields belong to the document. */
export function bare({ $schema: _dialect, $id: _place, ...schema }: Json): Json {
  return schema;
}
