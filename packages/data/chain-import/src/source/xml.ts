import { basename } from 'node:path';
import { SaxesParser } from 'saxes';
import { readBytes } from './bytes.ts';

/** An element with its content. Names are without a namespace prefix. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** The element's own text, trimmed. */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly attributes: Record<string, string>;
  readonly children: XmlElement[];
  text: string;
}

export interface XmlKind {
  readonly root: string;
  /** Names of the elements to read. Everything else is skipped. */
  readonly records: readonly string[];
}

const deepest = 64;
/** Characters of one record, or of skipped text between two tags. The largest real record has 0.5 MB. */
const longestRecord = 16 << 20;

/**
 * Reads the named elements of an XML file in their order, one at a time. Throws one line that names the file when it is not well-formed, has
 * another root, or has a document type: entities can expand without end or name other files.
 */
export async function* readXml(path: string, kind: XmlKind): AsyncGenerator<XmlElement, void, void> {
  const builder = new RecordBuilder(kind);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of readBytes(path)) {
      builder.write(decoder.decode(chunk, { stream: true }));
      yield* builder.take();
    }
    builder.write(decoder.decode());
    builder.close();
  } catch (error) {
    throw faultOf(basename(path), error);
  }
  yield* builder.take();
}

/** The name of the root element, from the beginning of a file; undefined when that is no XML. */
export function xmlRoot(start: string): string | undefined {
  return /^(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:[\w.-]+:)?([\w.-]+)/.exec(start)?.[1];
}

class XmlFault extends Error {}

function faultOf(file: string, error: unknown): unknown {
  const { message, code } = error as NodeJS.ErrnoException;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return new Error(`${file} is not UTF-8`, { cause: error });
  if (error instanceof XmlFault) return new Error(`${file} ${message}`, { cause: error });
  return message.startsWith(file) ? error : new Error(`${file} is not XML, or is cut off: ${message.slice(0, 200)}`, { cause: error });
}

class RecordBuilder {
  readonly #parser = new SaxesParser();
  readonly #records: ReadonlySet<string>;
  /** From the record's element to the innermost open one; empty between records. */
  readonly #open: OpenElement[] = [];
  #finished: XmlElement[] = [];
  #depth = 0;
  #size = 0;

  constructor({ root, records }: XmlKind) {
    this.#records = new Set(records);
    this.#parser.on('error', (error) => {
      throw error;
    });
    this.#parser.on('doctype', () => {
      throw new XmlFault('has a document type, which no official list has');
    });
    this.#parser.on('opentag', ({ name, attributes }) => this.#begin(localName(name), attributes, root));
    this.#parser.on('text', (text) => this.#text(text));
    this.#parser.on('cdata', (text) => this.#text(text));
    this.#parser.on('closetag', () => this.#end());
  }

  write(text: string): void {
    this.#grow(text.length);
    this.#parser.write(text);
  }

  close(): void {
    this.#parser.close();
  }

  take(): XmlElement[] {
    const taken = this.#finished;
    this.#finished = [];
    return taken;
  }

  #begin(name: string, attributes: Readonly<Record<string, string>>, root: string): void {
    this.#depth += 1;
    if (this.#depth === 1 && name !== root) throw new XmlFault(`begins with <${name.slice(0, 100)}>, not with <${root}>`);
    if (this.#depth > deepest) throw new XmlFault(`has elements deeper than ${deepest}`);
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#size = 0;
    if (parent === undefined && !this.#records.has(name)) return;
    const element = { name, attributes: { ...attributes }, children: [], text: '' };
    parent?.children.push(element);
    this.#open.push(element);
  }

  #text(text: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined) element.text += text;
    else this.#size = 0;
  }

  #end(): void {
    this.#depth -= 1;
    const element = this.#open.pop();
    if (element === undefined) return;
    element.text = element.text.trim();
    if (this.#open.length === 0) this.#finished.push(element);
  }

  #grow(by: number): void {
    this.#size += by;
    if (this.#size > longestRecord) throw new XmlFault(`has a record of more than ${longestRecord >> 20} MiB`);
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** All elements of this name within `element`, in their order. */
export function* within(element: XmlElement, name: string): Generator<XmlElement, void, void> {
  for (const child of element.children) {
    if (child.name === name) yield child;
    yield* within(child, name);
  }
}

/** The text of the first such child; undefined without text. */
export function textOf(element: XmlElement | undefined, name: string): string | undefined {
  const text = element?.children.find((child) => child.name === name)?.text;
  return text === '' ? undefined : text;
}
