import { createRequire } from 'node:module';
import type { CaseReport } from '../case/case.ts';
import { caseDocumentOf } from '../case/document.ts';
import type { Report } from '../report.ts';
import { documentOf } from './document.ts';
import type { Content, PdfDocument } from './pdfmake.ts';

/** Files by font and cut. */
type Fonts = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface PdfMaker {
  setFonts(fonts: Fonts): void;
  setUrlAccessPolicy(allows: (url: string) => boolean): void;
  setLocalAccessPolicy(allows: (path: string) => boolean): void;
  createPdf(document: PdfDocument): { getBuffer(): Promise<Uint8Array> };
}

/** Loads the libraries; takes a tenth of a second or more of CPU time. */
export async function renderPdf(report: Report): Promise<Uint8Array<ArrayBuffer>> {
  return printPdf(documentOf(report));
}

/** As `renderPdf`. */
export async function renderCase(report: CaseReport): Promise<Uint8Array<ArrayBuffer>> {
  return printPdf(caseDocumentOf(report));
}

/** pdfmake carries a margin below the last content to a page of its own. */
function withoutTail(definition: PdfDocument): PdfDocument {
  const last = definition.content.at(-1);
  if (last === undefined || typeof last === 'string' || Array.isArray(last)) return definition;
  return { ...definition, content: [...definition.content.slice(0, -1), { ...(last as object), marginBottom: 0 } as Content] };
}

export async function printPdf(definition: PdfDocument): Promise<Uint8Array<ArrayBuffer>> {
  const require = createRequire(import.meta.url);
  const pdfmake = require('pdfmake') as PdfMaker;
  const fonts = require('pdfmake/fonts/Roboto.js') as Fonts;
  const files = new Set(Object.values(fonts).flatMap((cuts) => Object.values(cuts)));
  pdfmake.setFonts(fonts);
  // Reports contain strangers' texts: pdfmake may read the fonts only, and fetch nothing.
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy((path) => files.has(path));
  return new Uint8Array(await pdfmake.createPdf(withoutTail(definition)).getBuffer());
}
