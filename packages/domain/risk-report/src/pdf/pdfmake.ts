// The subset of pdfmake's document types that reports use. The published types pull the DOM's into every file of the project.

type Margins = [left: number, top: number, right: number, bottom: number];

interface Style {
  readonly fontSize?: number;
  readonly font?: string;
  readonly bold?: boolean;
  readonly italics?: boolean;
  readonly color?: string;
  readonly lineHeight?: number;
  readonly margin?: Margins;
  /** Goes before the one in `margin`. */
  readonly marginBottom?: number;
  readonly alignment?: 'left' | 'right' | 'center';
  readonly characterSpacing?: number;
}

export type StyleDictionary = Readonly<Record<string, Style>>;

/** Common to all nodes. */
interface Node extends Style {
  readonly style?: string;
  readonly headlineLevel?: number;
  readonly markerColor?: string;
  readonly wordBreak?: string;
  readonly width?: number | 'auto' | '*';
  readonly fillColor?: string;
  readonly unbreakable?: boolean;
  readonly border?: readonly [boolean, boolean, boolean, boolean];
  readonly pageBreak?: 'before' | 'after';
}

export interface TableLayout {
  readonly hLineWidth?: (index: number, node: { readonly table: { readonly body: readonly unknown[] } }) => number;
  readonly vLineWidth?: () => number;
  readonly hLineColor?: (index: number) => string;
  readonly vLineColor?: (index: number) => string;
  readonly fillColor?: (index: number) => string | null;
  readonly paddingLeft?: () => number;
  readonly paddingRight?: () => number;
  readonly paddingTop?: () => number;
  readonly paddingBottom?: () => number;
}

interface Table {
  readonly headerRows?: number;
  readonly keepWithHeaderRows?: number;
  readonly dontBreakRows?: boolean;
  readonly widths?: readonly (number | 'auto' | '*')[];
  readonly body: readonly (readonly Content[])[];
}

export type Content =
  | string
  | readonly Content[]
  | (Node & { readonly text: string | readonly Content[] })
  | (Node & { readonly stack: readonly Content[] })
  | (Node & { readonly columns: readonly Content[]; readonly columnGap?: number })
  | (Node & { readonly ul: readonly Content[] })
  | (Node & { readonly table: Table; readonly layout?: TableLayout | string })
  | (Node & { readonly canvas: readonly Readonly<Record<string, unknown>>[] })
  | (Node & { readonly svg: string; readonly width?: number });

export interface PdfDocument {
  /** False leaves the streams readable. */
  readonly compress?: boolean;
  readonly pageSize?: string;
  readonly pageMargins?: Margins;
  readonly info?: Readonly<Record<string, string | Date>>;
  readonly language?: string;
  readonly displayTitle?: boolean;
  readonly defaultStyle?: Style;
  readonly styles?: StyleDictionary;
  readonly content: readonly Content[];
  readonly footer?: (page: number, pages: number) => Content;
  readonly pageBreakBefore?: (node: Node, around: { readonly getFollowingNodesOnPage: () => readonly unknown[] }) => boolean;
}
