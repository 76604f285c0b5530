// Keyboard shortcuts that work on every page, and the dialog that lists them.
import { useEffect, useState } from 'preact/hooks'
import { Dialog } from '../components/dialog.tsx'
import { addShortcut, allShortcuts, listenForShortcuts, shortcutsAreOn, turnShortcuts } from '../keyboard/shortcuts.ts'
import { pages } from '../pages/pages.ts'
import { go } from '../router/router.ts'

/** The list of all shortcuts of this page. */
const HelpSheet = ({ close }: { readonly close: () => void }) => {
  const [on, setOn] = useState(shortcutsAreOn)
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      <dl class="keys">
        {allShortcuts().map(({ keys, label }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <p class="soft">
        Ctrl K or ⌘K searches. Tab and Shift Tab reach everything, Enter activates, Escape closes. Shortcuts are off while you type into a
        field.
      </p>
      <label class="choice">
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => {
            turnShortcuts(event.currentTarget.checked)
            setOn(event.currentTarget.checked)
          }}
        />{' '}
        Enable single-key shortcuts
      </label>
    </Dialog>
  )
}

const focusable = 'a[href], button:not(:disabled), input:not(:disabled), select, summary, [tabindex="0"]'

const targetOf = (row: Element): HTMLElement | null =>
  row instanceof HTMLElement && row.matches(focusable)
    ? row
    : (row.querySelector<HTMLElement>('a[href]') ?? row.querySelector<HTMLElement>(focusable))

/** Moves the focus through the rows of a page (`data-row`). */
const moveRow = (step: 1 | -1): void => {
  const rows = [...document.querySelectorAll('main [data-row]')]
  const here = document.activeElement?.closest('[data-row]') ?? null
  const place = here === null ? (step === 1 ? 0 : rows.length - 1) : rows.indexOf(here) + step
  const row = rows[Math.min(Math.max(place, 0), rows.length - 1)]
  if (row === undefined) return
  targetOf(row)?.focus()
  row.scrollIntoView({ block: 'nearest' })
}

/** The first filter of the page. */
const focusFilter = (): void => document.querySelector<HTMLElement>('main [data-filter], main [type="search"]')?.focus()

export const Keys = () => {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const ends = [
      listenForShortcuts(),
      addShortcut({ keys: '?', label: 'Show keyboard shortcuts', act: () => setOpen(true) }),
      addShortcut({ keys: '/', label: 'Focus the first filter', act: focusFilter }),
      addShortcut({ keys: 'j', label: 'Next row', act: () => moveRow(1) }),
      addShortcut({ keys: 'k', label: 'Previous row', act: () => moveRow(-1) }),
      ...pages.flatMap(({ page, title, key }) =>
        key === undefined ? [] : [addShortcut({ keys: `g ${key}`, label: `Go to ${title}`, act: () => go({ page }) })],
      ),
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [])
  return open ? <HelpSheet close={() => setOpen(false)} /> : null
}
