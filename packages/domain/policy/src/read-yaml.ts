import { type Document, parseDocument, type YAMLError } from 'yaml';
import { type PolicyProblem, positionOf } from './places.ts';

export function readYaml(text: string): { document: Document.Parsed; value: unknown; problems: PolicyProblem[] } {
  const document = parseDocument(text, { uniqueKeys: true, strict: true });
  const problem = (offset: number, message: string): PolicyProblem => ({
    ...positionOf(text, offset),
    length: 1,
    path: 'YAML',
    message: message.split('\n')[0] ?? '',
  });
  if (!text.isWellFormed()) return { document, value: undefined, problems: [problem(0, 'it holds half a character')] };
  // Even in a comment: PostgreSQL cannot store a NUL.
  const nul = text.indexOf('\0');
  if (nul >= 0) return { document, value: undefined, problems: [problem(nul, 'it holds a NUL')] };
  // The parser misread a part, such as an unknown tag.
  const problems = [...document.errors, ...document.warnings].map((fault: YAMLError) => problem(fault.pos[0], fault.message));
  if (problems.length > 0) return { document, value: undefined, problems };
  try {
    return { document, value: document.toJS(), problems: [] };
  } catch (error) {
    return { document, value: undefined, problems: [problem(0, (error as Error).message)] };
  }
}
