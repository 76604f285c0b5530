// The part of a long conversation that is in the document: its end, or where the reader scrolled to. Its length is bounded.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Entry, keyOfEntry } from './use-timeline.ts'

const most = 240
export const step = 120
const nearEnd = 80

interface Anchor {
  readonly key: string | undefined
  readonly top: number
}

/** The first line in sight, and how far below the upper edge it stands. */
const anchorOf = (box: HTMLElement): Anchor => {
  const { top } = box.getBoundingClientRect()
  const line = [...box.querySelectorAll<HTMLElement>('[data-key]')].find((each) => each.getBoundingClientRect().bottom > top)
  return { key: line?.dataset['key'], top: (line?.getBoundingClientRect().top ?? top) - top }
}

const restore = (box: HTMLElement, { key, top }: Anchor): void => {
  const line = [...box.querySelectorAll<HTMLElement>('[data-key]')].find((each) => each.dataset['key'] === key)
  if (line !== undefined) box.scrollTop += line.getBoundingClientRect().top - box.getBoundingClientRect().top - top
}

export const useWindow = (entries: readonly Entry[]) => {
  const box = useRef<HTMLDivElement>(null)
  /** The line behind the last one that is shown; undefined: the end is shown, also when it moves. */
  const [behind, setBehind] = useState<string>()
  const place = behind === undefined ? -1 : entries.findIndex((entry) => keyOfEntry(entry) === behind)
  const end = place === -1 ? entries.length : place
  const start = Math.max(0, end - most)
  const atEnd = useRef(true)
  const anchor = useRef<Anchor>(undefined)

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    if (anchor.current !== undefined) restore(element, anchor.current)
    else if (atEnd.current && behind === undefined) element.scrollTop = element.scrollHeight
    anchor.current = undefined
  }, [entries, start, end])

  const show = (to: number): void => {
    if (box.current !== null) anchor.current = anchorOf(box.current)
    const next = entries[to]
    setBehind(next === undefined ? undefined : keyOfEntry(next))
  }
  return {
    box,
    shown: { start, end },
    looked: (): void => {
      const element = box.current
      if (element !== null) atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd
    },
    /** The lines before, at the cost of as many at the end; few lines stay where they are. */
    back: (): void => show(end - step >= step ? end - step : end),
    forth: (): void => show(end + step),
  }
}
