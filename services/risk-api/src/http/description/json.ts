export type Json = Readonly<Record<string, unknown>>;

export function bare({ $schema: _dialect, $id: _place, ...schema }: Json): Json {
  return schema;
}
