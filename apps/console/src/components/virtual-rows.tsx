// A list of many rows of the same height. Only the rows in sight are in the document.
import type { ComponentChildren, CSSProperties } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface VirtualRowsProps<T> {
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string | number
  readonly draw: (item: T, index: number) => ComponentChildren
  /** Pixels. */
  readonly rowHeight: number
  readonly label: string
  readonly head: ComponentChildren
  readonly columns: number
  /** Called near the end. */
  readonly more: (() => void) | undefined
}

const ahead = 8

export const VirtualRows = <T,>({ items, keyOf, draw, rowHeight, label, head, columns, more }: VirtualRowsProps<T>) => {
  const box = useRef<HTMLDivElement>(null)
  const [sight, setSight] = useState({ top: 0, height: 600 })
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const look = (): void => setSight({ top: element.scrollTop, height: element.clientHeight })
    const watch = new ResizeObserver(look)
    watch.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      watch.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [])
  const from = Math.max(0, Math.floor(sight.top / rowHeight) - ahead)
  const to = Math.min(items.length, Math.ceil((sight.top + sight.height) / rowHeight) + ahead)
  useEffect(() => {
    if (to >= items.length - ahead) more?.()
  }, [to, items.length, more === undefined])
  const place = (index: number): CSSProperties => ({ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` })
  return (
    <div class="virtual" role="table" aria-label={label} aria-rowcount={items.length + 1} aria-colcount={columns}>
      <div role="rowgroup">
        <div class="virtual-head" role="row" aria-rowindex={1}>
          {head}
        </div>
      </div>
      <div ref={box} class="virtual-box" role="rowgroup" tabIndex={0} aria-label={`${label}, rows`}>
        <div class="virtual-room" role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
          {items.slice(from, to).map((item, offset) => (
            <div key={keyOf(item)} class="virtual-row" role="row" aria-rowindex={from + offset + 2} data-row style={place(from + offset)}>
              {draw(item, from + offset)}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

const query = matchMedia('(max-width: 860px)')

/** Whether the window is narrow. */
export const useNarrow = (): boolean => {
  const [narrow, setNarrow] = useState(query.matches)
  useEffect(() => {
    const look = (): void => setNarrow(query.matches)
    query.addEventListener('change', look)
    return () => query.removeEventListener('change', look)
  }, [])
  return narrow
}
