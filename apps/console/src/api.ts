// The console's client of the admin API, and where its token lives: in memory, or in this tab when asked.
import { createClient } from '@gatehouse/client'

const key = 'gatehouse-token'

export type Api = ReturnType<typeof createClient>

/** What every page is given. */
export interface PageProps {
  readonly api: Api
}

export const keptToken = (): string | null => sessionStorage.getItem(key)

export const keepToken = (token: string): void => sessionStorage.setItem(key, token)

export const forgetToken = (): void => sessionStorage.removeItem(key)

/** Null on a unit that asks for none. */
export const createApi = (token: string | null): Api => createClient({ address: location.origin, ...(token === null ? {} : { token }) })
