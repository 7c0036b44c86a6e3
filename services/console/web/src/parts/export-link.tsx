import type { Query } from '../api/queries.ts';
import { withQuery } from '../api/request.ts';
import { words } from '../words/en.ts';

interface ExportLinkProps {
  /** As in the path of the export. */
  readonly list:
    | 'screenings'
    | 'reviews'
    | 'cases'
    | 'labels'
    | 'label-changes'
    | 'deliveries'
    | 'dead-letters'
    | 'statistics'
    | 'held-by'
    | 'activities'
    | 'policy-disagreements'
    | 'provider-levels'
    | 'provider-categories'
    | 'provider-disagreements';
  readonly filter?: Query;
}

/** What a list shows, as a file. */
export function ExportLink({ list, filter = {} }: ExportLinkProps) {
  return (
    <p className="row">
      <a href={withQuery(`/v1/exports/${list}`, filter)} download>
        {words.exportCsv}
      </a>
      <span className="muted">{words.exportHint}</span>
    </p>
  );
}
