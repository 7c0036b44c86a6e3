import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** An RFC 9457 problem: `code` is for programs, `detail` for people. */
export function problem(
  c: Context,
  status: ContentfulStatusCode,
  code: string,
  detail: string,
  more: Record<string, unknown> = {},
): Response {
  return c.json({ ...problemOf(status, code, detail), ...more }, status, { 'content-type': problemType });
}

export const problemType = 'application/problem+json';

export function problemOf(status: number, code: string, detail: string): object {
  return { type: 'about:blank', title: titles[status] ?? 'Error', status, code, detail };
}

export const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};
