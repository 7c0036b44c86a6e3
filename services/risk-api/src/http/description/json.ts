export type Json = Readonly<Record<string, unknown>>;

/** Within a document the dialect and the place are the document's. */
export function bare({ $schema: _dialect, $id: _place, ...schema }: Json): Json {
  return schema;
}
