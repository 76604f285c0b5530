// The path below /ui/ as the page's place: links change it without a load, back and forward work.
import { useEffect, useState } from 'preact/hooks'

const base = '/ui/'

const current = (): string => location.pathname.slice(base.length).replace(/\/$/, '')

export const linkTo = (place: string): string => `${base}${place}`

export const usePath = (): readonly [string, (place: string) => void] => {
  const [path, setPath] = useState(current)
  useEffect(() => {
    const moved = (): void => setPath(current())
    addEventListener('popstate', moved)
    return () => removeEventListener('popstate', moved)
  }, [])
  const go = (place: string): void => {
    history.pushState(null, '', linkTo(place))
    setPath(current())
  }
  return [path, go]
}
