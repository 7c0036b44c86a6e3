import type { Answer, Operation, RawBody } from './operation.ts';
import { problemResponses, problemSchema } from './problems.ts';
import { type Json, jsonSchemaOf, parametersOf } from './schemas.ts';

/** OpenAPI 3.1.1 of these operations, from the schemas that validate them. */
export function openApiOf(operations: readonly Operation[]): Json {
  const schemas: Record<string, unknown> = { Problem: problemSchema };
  const paths: Record<string, Record<string, Json>> = {};
  for (const own of operations) (paths[own.path] ??= {})[own.method.toLowerCase()] = describe(own, schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Weir pipeline API',
      version: '1.0.0',
      description: about,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of `weir keys create`, or of your OIDC provider. It has one role.',
        },
      },
    },
  };
}

export const about = [
  'Deposits and withdrawals go in, one decision comes out (`allow`, `review` or `block`), and its evidence is kept.',
  'Callers send a bearer token, which has one role. Each operation names the roles that may call it.',
  'Errors are problem details (RFC 9457): `code` is for programs, `detail` for people, and `errors` lists every problem of the input.',
  'An unknown parameter or field is refused. Another method than those of a path is 405 with `Allow`. A request that may be repeated says what a repeat does.',
  'Amounts are decimal strings, times are RFC 3339 in UTC. A USD value that nobody knows is null.',
].join('\n\n');

/** What an operation says to people, besides its summary. */
export function remarksOf({ description, admission, repeats }: Operation): string[] {
  const roles =
    admission.guard === undefined ? 'No token is needed.' : `Roles: ${admission.roles.map((role) => `\`${role}\``).join(', ')}.`;
  return [...(description === undefined ? [] : [description]), roles, ...(repeats === undefined ? [] : [`**Repeats.** ${repeats}`])];
}

function describe(own: Operation, schemas: Record<string, unknown>): Json {
  const { name, tag, summary, admission, segments, headers, query, body, rawBody, answers } = own;
  const parameters = [
    ...(segments === undefined ? [] : parametersOf('path', segments, {})),
    ...parametersOf('query', query, {}),
    ...(headers === undefined ? [] : parametersOf('header', headers, {})),
  ];
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: remarksOf(own).join('\n\n'),
    // In OpenAPI 3.1 the list has the roles of a scheme without scopes; any of them suffices.
    security: admission.guard === undefined ? [] : admission.roles.map((role) => ({ bearer: [role] })),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBodyOf(body, schemas) }),
    ...(rawBody === undefined ? {} : { requestBody: rawRequestBodyOf(rawBody) }),
    responses: {
      ...Object.fromEntries(answers.map((answer) => [String(answer.status), responseOf(answer, schemas)])),
      ...problemResponses(own),
    },
  };
}

function requestBodyOf({ schema, example }: NonNullable<Operation['body']>, schemas: Record<string, unknown>): Json {
  return { required: true, content: { 'application/json': { schema: jsonSchemaOf(schema, 'input', schemas), example } } };
}

function rawRequestBodyOf({ type, example }: RawBody): Json {
  return { required: true, content: { [type]: { schema: { type: 'string' }, example } } };
}

function responseOf(
  { description, schema, example, type = 'application/json', headers = {} }: Answer,
  schemas: Record<string, unknown>,
): Json {
  const described = Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: 'string' } }] as const);
  return {
    description,
    ...(described.length === 0 ? {} : { headers: Object.fromEntries(described) }),
    content: { [type]: { schema: jsonSchemaOf(schema, 'output', schemas), example } },
  };
}
