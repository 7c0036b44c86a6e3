import { html } from 'hono/html';
import { about, remarksOf } from '../openapi.ts';
import type { Operation } from '../operation.ts';
import { problemsOf } from '../problems.ts';
import type { Page } from './page.ts';

/** The documentation of these operations. */
export function pipelinePage(operations: readonly Operation[]): Page {
  return {
    title: 'Weir pipeline API',
    intro: html`${about.split('\n\n').map((paragraph) => html`<p>${paragraph.replaceAll('`', '')}</p>`)}`,
    plain: html`<table>
<tr><th>Call</th><th>Roles</th><th>What it does</th></tr>
${operations.map(
  (own) => html`<tr><td><code>${own.method} ${own.path}</code></td><td>${own.admission.roles.join(', ')}</td>
<td>${[own.summary, ...remarksOf(own)].join(' ').replaceAll(/[`*]/g, '')}</td></tr>`,
)}
</table>`,
    tables: [problems(operations)],
  };
}

function problems(operations: readonly Operation[]) {
  const all = new Map(operations.flatMap((own) => Object.entries(problemsOf(own))));
  return html`<h2>Problems</h2>
<table>
<tr><th>Code</th><th>Status</th><th>Meaning</th></tr>
${[...all].map(
  ([code, [status, meaning]]) => html`<tr><td><code>${code}</code></td><td>${status}</td><td>${meaning.replaceAll('`', '')}</td></tr>`,
)}
</table>`;
}
