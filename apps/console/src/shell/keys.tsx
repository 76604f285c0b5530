// The keys that work on every page, and their sheet.
import { useEffect, useState } from 'preact/hooks'
import { HelpSheet } from '../keyboard/help-sheet.tsx'
import { focusFilter, moveRow } from '../keyboard/rows.ts'
import { addShortcut, listenForShortcuts } from '../keyboard/shortcuts.ts'
import { pages } from '../pages/pages.ts'
import { go } from '../router/router.ts'

export const Keys = () => {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const ends = [
      listenForShortcuts(),
      addShortcut({ keys: '?', label: 'Show this sheet', act: () => setOpen(true) }),
      addShortcut({ keys: '/', label: 'Go to the first filter', act: focusFilter }),
      addShortcut({ keys: 'j', label: 'Next row', act: () => moveRow(1) }),
      addShortcut({ keys: 'k', label: 'Row before', act: () => moveRow(-1) }),
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
