// The reader's place, and single filters of it, inside components.
import { useEffect, useState } from 'preact/hooks'
import type { Place } from './place.ts'
import { currentPlace, go, watchPlace } from './router.ts'

export const usePlace = (): Place => {
  const [place, setPlace] = useState(currentPlace)
  useEffect(() => {
    setPlace(currentPlace())
    return watchPlace(() => setPlace(currentPlace()))
  }, [])
  return place
}

/** A filter that stands in the address. Choosing makes a step for the back button, typing makes none. */
export const useFilter = (name: string, how: 'chosen' | 'typed' = 'chosen'): readonly [string, (value: string) => void] => {
  const { query } = usePlace()
  const set = (value: string): void => {
    const { page, rest, query: present } = currentPlace()
    go({ page, rest, query: { ...present, [name]: value } }, { replace: how === 'typed' })
  }
  return [query[name] ?? '', set]
}
