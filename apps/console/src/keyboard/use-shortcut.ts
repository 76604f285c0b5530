// A key that works while a component stands on the page.
import { useEffect, useRef } from 'preact/hooks'
import { addShortcut } from './shortcuts.ts'

export const useShortcut = (keys: string, label: string, act: () => void): void => {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => addShortcut({ keys, label, act: () => latest.current() }), [keys, label])
}
