// Who is signed in: the token lives in memory, or in this tab when asked, and never in an address.
import { type ConsoleClient, createConsoleClient, type Fetch } from '@gatehouse/client'
import type { Status } from '@gatehouse/contracts'

const key = 'gatehouse-token'

export interface Session {
  /** One for the life of the page: another token changes what it sends, never what it is. */
  readonly api: ConsoleClient
  /** Rejects where the unit does not take the token; then the one before stays. Null: none. */
  enter(token: string | null, keep: boolean): Promise<Status>
  /** The token that this tab kept. */
  kept(): string | null
  forget(): void
  /** Called when the unit no longer takes the token that is in use. */
  onRefused(act: () => void): () => void
}

export const createSession = (): Session => {
  let token: string | null = null
  const refused = new Set<() => void>()

  const carry: Fetch = async (url, init) => {
    const sent = token
    const response = await fetch(url, { ...init, headers: { ...init.headers, ...(sent !== null && { Authorization: `Bearer ${sent}` }) } })
    if (response.status === 401 && sent === token) for (const act of refused) act()
    return response
  }
  const api = createConsoleClient({ address: location.origin, fetch: carry })

  return {
    api,
    enter: async (wanted, keep) => {
      const before = token
      token = wanted
      try {
        const status = await api.status()
        if (keep && wanted !== null) sessionStorage.setItem(key, wanted)
        return status
      } catch (error) {
        token = before
        throw error
      }
    },
    kept: () => sessionStorage.getItem(key),
    forget: () => {
      token = null
      sessionStorage.removeItem(key)
    },
    onRefused: (act) => {
      refused.add(act)
      return () => refused.delete(act)
    },
  }
}
