import { html } from 'hono/html';

export type Html = ReturnType<typeof html>;

/** A page of documentation. Swagger UI shows the operations; `plain` does where there is no JavaScript. */
export interface Page {
  readonly title: string;
  readonly intro: Html;
  readonly plain: Html;
  /** Further tables. */
  readonly tables: readonly Html[];
}

export function pageOf({ title, intro, plain, tables }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<main>
<h1>${title}</h1>
${intro}
<p>The whole description for programs is <a href="/openapi.json">/openapi.json</a>.</p>
<noscript>
<h2>Operations</h2>
${plain}
</noscript>
${[...tables]}
</main>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>`;
}
