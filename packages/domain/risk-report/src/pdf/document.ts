import type { Content, PdfDocument } from './pdfmake.ts';
import type { Report } from '../report.ts';
import { moment, shortened } from '../words/numbers.ts';
import { methodParts, sources, unknownParts } from './background.ts';
import { exposures, paths } from './exposures.ts';
import { headline } from './headline.ts';
import { meaning } from './meaning.ts';
import { printableAll } from './printable.ts';
import { ownLabels, reasons } from './reasons.ts';
import { contentWidth, ink, muted, rule, sideMargin, styles } from './style.ts';

/** The pages of a report, for pdfmake. The same report gives the same pages. */
export function documentOf(raw: Report): PdfDocument {
  const report = printableAll(raw);
  const made = new Date(report.madeAtMs);
  const maker = `Weir ${report.version}`;
  return {
    pageSize: 'A4',
    pageMargins: [sideMargin, 44, sideMargin, 52],
    info: {
      title: `Risk report: ${report.subject}`,
      author: maker,
      creator: maker,
      producer: maker,
      creationDate: made,
      modDate: made,
    },
    language: 'en-GB',
    displayTitle: true,
    defaultStyle: { font: 'Roboto', fontSize: 9, color: ink },
    styles,
    content: contentOf(report),
    footer: (page, pages) => footerOf(report, page, pages),
    // Moves a heading to the next page if it would be the last line.
    pageBreakBefore: (node, { getFollowingNodesOnPage }) => node.headlineLevel === 1 && getFollowingNodesOnPage().length === 0,
  };
}

function contentOf(report: Report): Content[] {
  const { grounds } = report;
  return [
    ...headline(report),
    ...meaning(report),
    ...(grounds === undefined ? [] : reasons(report, grounds)),
    ...ownLabels(report),
    ...exposures(report),
    ...paths(report),
    ...(grounds === undefined ? [] : [...unknownParts(report, grounds), ...methodParts(report)]),
    ...sources(report),
  ];
}

function footerOf(report: Report, page: number, pages: number): Content {
  const what = report.sandbox === undefined ? 'Risk report' : 'SANDBOX, predefined result';
  return [
    { canvas: [{ type: 'line', x1: sideMargin, y1: 0, x2: sideMargin + contentWidth, y2: 0, lineWidth: 0.5, lineColor: rule }] },
    {
      columns: [
        { text: `${what}: ${shortened(report.subject)}, made ${moment(report.madeAtMs)}`, width: '*' },
        { text: `Page ${page} of ${pages}`, width: 80, alignment: 'right' },
      ],
      fontSize: 7.5,
      color: muted,
      margin: [sideMargin, 6, sideMargin, 0],
    },
  ];
}
