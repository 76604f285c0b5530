// What is typed: one line, or several.

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

export const Line = ({ label, hint, value, set, ...rest }: TextFieldProps) => (
  <label class="field">
    {label}
    <input value={value} spellcheck={false} autocomplete="off" {...rest} onInput={(event) => set(event.currentTarget.value)} />
    {hint !== undefined && <span class="hint">{hint}</span>}
  </label>
)

interface LinesProps extends TextFieldProps {
  readonly rows?: number
  /** Words for people, and no names of things. */
  readonly prose?: boolean
}

export const Lines = ({ label, hint, value, set, rows = 3, prose = false, ...rest }: LinesProps) => (
  <label class="field">
    {label}
    <textarea rows={rows} value={value} spellcheck={prose} {...rest} onInput={(event) => set(event.currentTarget.value)} />
    {hint !== undefined && <span class="hint">{hint}</span>}
  </label>
)
