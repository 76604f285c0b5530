// Fields of forms: one line of text, several lines, one of a few choices.
interface TextFieldProps {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly set: (value: string) => void
  readonly required?: boolean
  readonly readOnly?: boolean
  readonly maxLength?: number
  readonly placeholder?: string
  readonly pattern?: string
  readonly title?: string
  readonly type?: 'number'
  readonly min?: string
  readonly max?: string
}

export const TextField = ({ label, hint, value, set, ...rest }: TextFieldProps) => (
  <label class="field">
    {label}
    <input value={value} spellcheck={false} autocomplete="off" {...rest} onInput={(event) => set(event.currentTarget.value)} />
    {hint !== undefined && <span class="hint">{hint}</span>}
  </label>
)

interface TextAreaProps extends TextFieldProps {
  readonly rows?: number
  /** The text is prose, so the browser checks its spelling. */
  readonly prose?: boolean
}

export const TextArea = ({ label, hint, value, set, rows = 3, prose = false, ...rest }: TextAreaProps) => (
  <label class="field">
    {label}
    <textarea rows={rows} value={value} spellcheck={prose} {...rest} onInput={(event) => set(event.currentTarget.value)} />
    {hint !== undefined && <span class="hint">{hint}</span>}
  </label>
)

interface ChoiceFieldProps<T extends string> {
  readonly label: string
  readonly choices: readonly T[]
  readonly value: T
  readonly set: (value: T) => void
}

export const ChoiceField = <T extends string>({ label, choices, value, set }: ChoiceFieldProps<T>) => (
  <label class="field">
    {label}
    <select value={value} onChange={(event) => set(choices[event.currentTarget.selectedIndex] ?? value)}>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  </label>
)
