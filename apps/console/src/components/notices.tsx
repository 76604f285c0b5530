// Short messages about what was just done, at the edge of the page and for screen readers.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface Notice {
  readonly id: number
  readonly said: ComponentChildren
}

let tell: ((said: ComponentChildren) => void) | undefined
let count = 0
const stays = 8_000

export const notify = (said: ComponentChildren): void => tell?.(said)

export const Notices = () => {
  const [notices, setNotices] = useState<readonly Notice[]>([])
  useEffect(() => {
    const drop = (id: number): void => setNotices((list) => list.filter((notice) => notice.id !== id))
    tell = (said) => {
      count += 1
      const id = count
      setNotices((list) => [...list.slice(-2), { id, said }])
      setTimeout(() => drop(id), stays)
    }
    return () => {
      tell = undefined
    }
  }, [])
  return (
    <div class="notices" role="status">
      {notices.map(({ id, said }) => (
        <p key={id}>{said}</p>
      ))}
    </div>
  )
}
