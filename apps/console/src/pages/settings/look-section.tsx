// How the console looks in this browser.
import { useState } from 'preact/hooks'
import { contrasts, keepLook, readLook, themes } from '../../look/look.ts'

interface ChoiceProps<T extends string> {
  readonly title: string
  readonly choices: readonly T[]
  readonly value: T
  readonly choose: (value: T) => void
}

const Choice = <T extends string>({ title, choices, value, choose }: ChoiceProps<T>) => (
  <fieldset>
    <legend>{title}</legend>
    {choices.map((choice) => (
      <label key={choice} class="choice">
        <input type="radio" name={title} checked={choice === value} onChange={() => choose(choice)} /> {choice}
      </label>
    ))}
  </fieldset>
)

export const LookSection = () => {
  const [look, setLook] = useState(readLook)
  const change = (part: Partial<typeof look>): void => {
    const next = { ...look, ...part }
    keepLook(next)
    setLook(next)
  }
  return (
    <section aria-labelledby="look">
      <h2 id="look">Looks</h2>
      <div class="cards">
        <Choice title="Theme" choices={themes} value={look.theme} choose={(theme) => change({ theme })} />
        <Choice title="Contrast" choices={contrasts} value={look.contrast} choose={(contrast) => change({ contrast })} />
      </div>
      <p class="hint">Motion follows the system. Press ? on any page for its keys.</p>
    </section>
  )
}
