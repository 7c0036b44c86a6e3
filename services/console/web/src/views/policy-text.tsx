import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { completePolicy } from '@weir/policy/completions';
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef } from 'react';
import type { PolicyCheckView } from '../api/types.ts';
import { words } from '../words/en.ts';

type Problem = PolicyCheckView['problems'][number];

/** As the API takes it. */
const longest = 100_000;

const theme = EditorView.theme({
  '&': { border: '1px solid var(--line)', borderRadius: '6px', background: 'var(--card)', color: 'var(--text)', maxHeight: '32rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { font: '0.86rem/1.5 ui-monospace, "SF Mono", Menlo, monospace', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', minHeight: '18rem' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { background: 'var(--back)', color: 'var(--muted)', border: 'none' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { background: 'var(--calm-back) !important' },
  '.cm-tooltip': { background: 'var(--card)', color: 'var(--text)', border: '1px solid var(--line)', borderRadius: '6px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { color: 'inherit', marginLeft: '1rem' },
});

export interface PolicyTextHandle {
  goTo(problem: Problem): void;
}

interface PolicyTextProps {
  readonly start: string;
  /** Of the text as it stands; undefined: not checked yet. */
  readonly problems: readonly Problem[] | undefined;
  readonly onChange: (text: string) => void;
  readonly ref: Ref<PolicyTextHandle>;
}

/** An editor that proposes words while a person types. Its styles live in a shadow root, which the content security policy lets it have. */
export default function PolicyText({ start, problems, onChange, ref }: PolicyTextProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useEffectEvent(onChange);
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const editor = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: start,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          autocompletion({ override: [complete], icons: false }),
          EditorState.changeFilter.of((change) => change.newDoc.length <= longest),
          EditorView.contentAttributes.of({ 'aria-label': words.policy.draft, 'aria-multiline': 'true' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString());
          }),
          theme,
        ],
      }),
    });
    // Arrow keys scroll the lines only where their box can have the focus.
    editor.scrollDOM.tabIndex = 0;
    editor.scrollDOM.ariaLabel = words.policy.draft;
    editor.scrollDOM.role = 'group';
    view.current = editor;
    return () => editor.destroy();
  }, [start]);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    const marks = (problems ?? []).map((problem) => ({
      ...placeOf(editor, problem),
      severity: 'error' as const,
      message: problem.message,
    }));
    editor.dispatch(setDiagnostics(editor.state, marks));
  }, [problems]);
  useImperativeHandle(ref, () => ({
    goTo: (problem) => {
      const editor = view.current;
      if (editor === undefined) return;
      const { from: anchor, to: head } = placeOf(editor, problem);
      editor.dispatch({ selection: { anchor, head }, scrollIntoView: true });
      editor.focus();
    },
  }));
  return <div ref={host} className="policy-text" data-takes-keys />;
}

function complete({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const found = completePolicy(state.doc.toString(), pos);
  // Without a word begun, the list would stand in the way of typing.
  if (found === undefined || (!explicit && found.from === pos && !/[.:"']\s?$/.test(state.sliceDoc(Math.max(pos - 2, 0), pos))))
    return null;
  return { from: found.from, options: found.options.map(({ text, about }) => ({ label: text, detail: about })) };
}

function placeOf({ state: { doc } }: EditorView, { line, column, length }: Problem): { from: number; to: number } {
  if (line > doc.lines) return { from: doc.length, to: doc.length };
  const from = Math.min(doc.line(line).from + column - 1, doc.length);
  return { from, to: Math.min(from + length, doc.length) };
}
