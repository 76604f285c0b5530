// The table of keyboard shortcuts, with one listener for all.
import { useEffect, useRef } from 'preact/hooks'

export interface Shortcut {
  /** One key, or two in a row such as `g o`. */
  readonly keys: string
  readonly label: string
  readonly act: () => void
}

const table = new Set<Shortcut>()
const storageKey = 'gatehouse-keys'
const patience = 1_500
let first: { readonly key: string; readonly at: number } | undefined

export const addShortcut = (shortcut: Shortcut): (() => void) => {
  table.add(shortcut)
  return () => table.delete(shortcut)
}

export const allShortcuts = (): readonly Shortcut[] => [...table]

export const shortcutsAreOn = (): boolean => localStorage.getItem(storageKey) !== 'off'

export const turnShortcuts = (on: boolean): void => localStorage.setItem(storageKey, on ? 'on' : 'off')

/** Typing into a field triggers no shortcut. */
const takesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))

const find = (key: string): Shortcut | undefined => {
  const two = first !== undefined && performance.now() - first.at < patience ? `${first.key} ${key}` : undefined
  // What a page brings along goes before what the shell has.
  const list = [...table].toReversed()
  return list.find(({ keys }) => keys === two) ?? list.find(({ keys }) => keys === key)
}

const hear = (event: KeyboardEvent): void => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
  if (takesText(event.target) || !shortcutsAreOn() || document.querySelector('dialog[open]') !== null) return
  const shortcut = find(event.key)
  first = shortcut === undefined ? { key: event.key, at: performance.now() } : undefined
  if (shortcut === undefined) return
  event.preventDefault()
  shortcut.act()
}

export const listenForShortcuts = (): (() => void) => {
  document.addEventListener('keydown', hear)
  return () => document.removeEventListener('keydown', hear)
}

/** Adds a shortcut while the component is mounted. */
export const useShortcut = (keys: string, label: string, act: () => void): void => {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => addShortcut({ keys, label, act: () => latest.current() }), [keys, label])
}
