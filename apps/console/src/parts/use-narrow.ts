// Whether there is little room.
import { useEffect, useState } from 'preact/hooks'

const query = matchMedia('(max-width: 860px)')

export const useNarrow = (): boolean => {
  const [narrow, setNarrow] = useState(query.matches)
  useEffect(() => {
    const look = (): void => setNarrow(query.matches)
    query.addEventListener('change', look)
    return () => query.removeEventListener('change', look)
  }, [])
  return narrow
}
