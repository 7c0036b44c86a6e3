import type { operations, routes } from './generated/api.ts';

type Operations = operations;
/** Every operation that is a call. A stream is none: `events` reads it. */
export type OperationName = Exclude<keyof typeof routes, 'stream_events'>;

/** Weir answers these types as bytes, every other but JSON as text. */
type Binary = 'application/pdf' | 'application/zip' | 'application/octet-stream';

type Success = 200 | 201 | 202;
type ContentOf<Answer> = Answer extends { readonly content?: infer Content } | { content: infer Content } ? NonNullable<Content> : never;
type ValueOf<Content> = { [Type in keyof Content]: Type extends Binary ? Uint8Array : Content[Type] }[keyof Content];

/** The body of a successful answer. */
export type AnswerOf<Name extends OperationName> = ValueOf<
  ContentOf<Operations[Name]['responses'][Success & keyof Operations[Name]['responses']]>
>;

type Given<Part, Value> = [Value] extends [undefined]
  ? unknown
  : object extends Value
    ? { readonly [Key in Part & string]?: Value }
    : { readonly [Key in Part & string]: Value };

type BodyOf<Name extends OperationName> = Operations[Name] extends {
  readonly requestBody: { readonly content: { readonly 'application/json': infer Body } };
}
  ? Body
  : undefined;

/** The parameters of a query. */
export type QueryOf<Name extends OperationName> = NonNullable<Operations[Name]['parameters']['query']>;

/** The input of an operation. Parts that it does not have are left out. */
export type InputOf<Name extends OperationName> = Given<'path', NonNullable<Operations[Name]['parameters']['path']>> &
  Given<'query', QueryOf<Name>> &
  Given<'headers', NonNullable<Operations[Name]['parameters']['header']>> &
  Given<'body', BodyOf<Name>>;

type Values = Readonly<Record<string, unknown>>;
/** The same for every operation, for the code that sends it. */
export interface AnyInput {
  readonly path?: Values;
  readonly query?: Values;
  readonly headers?: Values;
  readonly body?: unknown;
}
