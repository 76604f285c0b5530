// Hears when an act holds and is on no disk yet, whichever command it was.
import type { Fetch } from '@gatehouse/client'
import { keptHeader } from '@gatehouse/contracts'

const notKept = 'It holds now, but is on no disk yet: it ends with the gateway. Mend the disk before anything is started again.'

export const heedKept =
  (fetch: Fetch, tell: (text: string) => void): Fetch =>
  async (url, init) => {
    const answer = await fetch(url, init)
    if (answer.headers.get(keptHeader) === 'false') tell(notKept)
    return answer
  }
