import {
  Button,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select,
  SelectValue,
  TextArea,
  TextField,
} from 'react-aria-components';
import { words } from '../words/en.ts';

export interface FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

interface ChoiceProps extends FieldProps {
  readonly label: string;
  readonly options: Readonly<Record<string, string>>;
  /** Left out: there is also a choice of all, which is the empty value. Else that is no choice yet, and a form asks for one. */
  readonly isRequired?: boolean;
  /** The choice of all, in words. */
  readonly all?: string;
}

/** No id may be empty, and any word may be the name of a person. */
const idOf = (value: string): string => `=${value}`;

export function Choice({ label, value, options, onChange, isRequired = false, all = words.filters.all }: ChoiceProps) {
  const rows = [...(isRequired ? [] : [['', all]]), ...Object.entries(options)];
  return (
    <Select
      className="field"
      isRequired={isRequired}
      placeholder={words.filters.choose}
      value={isRequired && value === '' ? null : idOf(value)}
      onChange={(key) => onChange(String(key).slice(1))}
    >
      <Label>{label}</Label>
      <Button className="select">
        <SelectValue />
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className="popover">
        <ListBox>
          {rows.map(([key = '', text = '']) => (
            <ListBoxItem key={key} id={idOf(key)} className="option">
              {text}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
      <FieldError />
    </Select>
  );
}

/** A link may ask for a choice that is none of these. */
export function withGiven(options: Readonly<Record<string, string>>, value: string): Readonly<Record<string, string>> {
  return value === '' || value in options ? options : { ...options, [value]: value };
}

interface TextProps extends FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly autoFocus?: boolean;
}

export function LongText({ label, value, onChange, hint, autoFocus = false }: TextProps) {
  return (
    <TextField className="field" value={value} onChange={onChange} autoFocus={autoFocus} maxLength={4_000} isRequired>
      <Label>{label}</Label>
      <TextArea rows={3} />
      {hint !== undefined && <small className="muted">{hint}</small>}
      <FieldError />
    </TextField>
  );
}

interface ShortTextProps extends Omit<TextProps, 'hint' | 'autoFocus'> {
  readonly isRequired?: boolean;
  readonly placeholder?: string;
}

export function ShortText({ label, value, onChange, isRequired = false, placeholder = '' }: ShortTextProps) {
  return (
    <TextField className="field" value={value} onChange={onChange} maxLength={200} isRequired={isRequired}>
      <Label>{label}</Label>
      <Input placeholder={placeholder} />
      <FieldError />
    </TextField>
  );
}
