// One of a few names.

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
