import { z } from 'zod';
import { adviceOf, statusOf } from '../../failure.ts';
import { defaultPlan } from '../../keys/keys.ts';
import type { Description } from '../operation.ts';
import { bare, type Json, parametersOf } from '@weir/service-kit';
import { codesOf, failureResponses } from './failures.ts';

/** OpenAPI extensions of an operation, such as payment terms. */
type Extensions = Readonly<Record<`x-${string}`, unknown>>;

/** `price`: of a paid call. */
export type Page = Description & { readonly extensions?: Extensions; readonly price?: string };

/** A target with a predefined result. */
export interface ListedTarget {
  readonly coin: string;
  readonly address?: string;
  readonly txid?: string;
  readonly risk_level: string;
  readonly score: number;
  readonly detail_list: readonly string[];
  readonly why: string;
}

const tags: readonly { readonly name: Description['surface']; readonly description: string }[] = [
  { name: 'standard', description: 'Scores and analyses from labels and transfers.' },
  { name: 'x402', description: 'The same analyses without a key: each call is paid with x402, in USDC on Base or Solana.' },
  { name: 'sandbox', description: 'Predefined results for integration tests, with the paths and shapes of v3.' },
  { name: 'reports', description: 'Results as documents for people.' },
];

/** Whether calls of this surface are among the described ones. A surface that is off is not mentioned. */
export function describes(pages: readonly Description[], surface: Description['surface']): boolean {
  return pages.some((page) => page.surface === surface);
}

/** OpenAPI 3.1.0 of these calls, generated from the schemas that validate them. */
export function openApiOf(pages: readonly Page[], targets: readonly ListedTarget[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const page of pages) {
    const methods = (paths[page.path] ??= {});
    methods[page.method.toLowerCase()] = operationOf(page);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Weir risk API',
      version: '1.0.0',
      description: about(pages, targets),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tags.filter(({ name }) => describes(pages, name)),
    paths,
    components: {
      schemas: answerSchemas(pages),
      ...(pages.some(({ keyed }) => keyed) ? { securitySchemes } : {}),
    },
  };
}

const securitySchemes = {
  query: { type: 'apiKey', in: 'query', name: 'api_key', description: 'Ends up in logs on the way; prefer the header.' },
  header: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
};

function operationOf(page: Page): Json {
  const { name, surface, summary, description, keyed, type = 'application/json', example, extensions } = page;
  return {
    operationId: name,
    tags: [surface],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(keyed ? { security: page.method === 'GET' ? [{ header: [] }, { query: [] }] : [{ header: [] }, {}] } : { security: [] }),
    ...inputOf(page),
    responses: {
      '200': {
        description: 'Success.',
        ...(page.price === undefined ? {} : { headers: paidHeaders(page) }),
        content: { [type]: { schema: { $ref: reference(name) }, example: example.answer } },
      },
      ...failureResponses(page),
    },
    ...extensions,
  };
}

function paidHeaders({ method }: Description): Json {
  const text = { type: 'string' };
  const receipt = { description: 'The settled payment: x402 version 2, base64.', required: true, schema: text };
  const location = { description: 'Where the task is polled, free of charge.', required: true, schema: text };
  return { 'PAYMENT-RESPONSE': receipt, ...(method === 'POST' ? { Location: location } : {}) };
}

const signature: Json = {
  name: 'PAYMENT-SIGNATURE',
  in: 'header',
  required: false,
  description: 'The payment, x402 version 2. Without it the call answers 402 and says what is to be paid.',
  schema: { type: 'string' },
};

function inputOf(page: Page): Json {
  const paid = page.price === undefined ? [] : [signature];
  if (page.method === 'GET') return { parameters: [...segmentsAndQuery(page), ...paid] };
  return { ...(paid.length === 0 ? {} : { parameters: paid }), requestBody: bodyOf(page) };
}

/** A request's fields are in the path where it names them, else in the query. */
function segmentsAndQuery({ path, request, example }: Description): Json[] {
  return parametersOf('query', request, example.request).map((parameter) =>
    path.includes(`{${String(parameter['name'])}}`) ? { ...parameter, in: 'path' } : parameter,
  );
}

const keyInBody = z.string().optional().meta({ description: 'The key, unless the header X-API-Key has it.' });

function bodyOf({ request, example, keyed }: Description): Json {
  const schema = bare(z.toJSONSchema(keyed ? request.extend({ api_key: keyInBody }) : request, { io: 'input' }));
  return { required: true, content: { 'application/json': { schema, example: example.request } } };
}

function answerSchemas(pages: readonly Description[]): Json {
  const registry = z.registry<{ id: string }>();
  for (const { name, answer } of pages) registry.add(answer, { id: answerId(name) });
  const { schemas } = z.toJSONSchema(registry, { io: 'output', uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

/** `v3_risk_score` is answered by `V3RiskScoreAnswer`. */
function answerId(name: string): string {
  return `${name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())}Answer`;
}

function reference(name: string): string {
  return `#/components/schemas/${answerId(name)}`;
}

const ofLimits = `A key has limits in any sliding second and in a UTC day, ${defaultPlan.perSecond} and ${defaultPlan.perDay} calls unless its plan says otherwise; a refusal tells the seconds to wait.`;

/** Paragraphs with code between backticks. */
export function introOf(pages: readonly Description[]): string[] {
  const keyed = [
    ...(describes(pages, 'standard') ? ['of the standard API'] : []),
    ...(describes(pages, 'sandbox') ? ['of the sandbox'] : []),
  ].join(' and ');
  return [
    ...(keyed === ''
      ? []
      : [
          `Calls ${keyed} take a key: in the header \`X-API-Key\`, or as \`api_key\` in the query of a GET and in the JSON body of a POST. A key belongs to one surface.`,
        ]),
    ...(describes(pages, 'x402') ? ['Calls below `/x402/` take no key: each is paid for with x402, as its answer 402 says.'] : []),
    'Answers are `{"success", "msg", "data"}`. A failure has `success` false, a code in `msg` and an empty `data`; 429 has `retry_after` in seconds.',
    ...(keyed === '' ? [] : [ofLimits]),
  ];
}

function about(pages: readonly Page[], listed: readonly ListedTarget[]): string {
  const targets = listed.map(
    ({ coin, address, txid, risk_level, score, detail_list, why }) =>
      `| ${coin} | ${address === undefined ? 'txid' : 'address'} \`${address ?? txid}\` | ${risk_level} | ${score} | ${detail_list.join(', ')} | ${why} |`,
  );
  const ofTargets = ['', '## Sandbox targets', '', '| Coin | Target | Level | Score | Details | What it is |', '|---|---|---|---|---|---|'];
  return [
    ...introOf(pages),
    ...(describes(pages, 'sandbox') ? [...ofTargets, ...targets] : []),
    '',
    '## Failures',
    '',
    '| Code | Status | What to do |',
    '|---|---|---|',
    ...codesOf(pages).map((code) => `| ${code} | ${statusOf(code)} | ${adviceOf(code)} |`),
  ].join('\n');
}
