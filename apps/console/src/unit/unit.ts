// What every page needs: the API client, the event stream, the last status of the unit, and the name of the reader.
import type { ConsoleClient } from '@gatehouse/client'
import { type AgentGroupID, type Freeze, type Role, roles, type Status } from '@gatehouse/contracts'
import { createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import type { Stream } from './stream.ts'

export interface UnitValue {
  readonly api: ConsoleClient
  readonly stream: Stream
  readonly status: Status | undefined
}

export const UnitContext = createContext<UnitValue | undefined>(undefined)

export const useUnit = (): UnitValue => {
  const value = useContext(UnitContext)
  if (value === undefined) throw new Error('expected to be inside the shell')
  return value
}

export const useApi = (): ConsoleClient => useUnit().api

/** A client is below all of them. */
const rankOf = (role: Role): number => roles.findIndex((each) => each === role)

/** Undefined where the reader has the role; otherwise a sentence that says what is missing. */
export const useMissingRole = (needed: Role): string | undefined => {
  const principal = useUnit().status?.principal
  if (principal === undefined || rankOf(principal.role) >= rankOf(needed)) return undefined
  return `You are ${principal.name} with the role ${principal.role}; this takes the role ${needed}.`
}

/** The freeze of this group or of the whole unit. */
export const useFrozen = (group?: AgentGroupID | string): Freeze | undefined =>
  useUnit().status?.frozen.find(({ agentGroupID }) => agentGroupID === undefined || agentGroupID === group)

const key = 'gatehouse-name'

export interface Signature {
  readonly name: string
  readonly set: (name: string) => void
  /** As the gateway takes it. */
  readonly label: string
}

/** The label under which a person acts, for the audit log; kept for this tab. It proves nothing: the token does. */
export const useSignature = (): Signature => {
  const { status } = useUnit()
  const [name, setName] = useState(() => sessionStorage.getItem(key) ?? '')
  const known = name.trim() === '' ? (status?.principal.name ?? 'operator') : name.trim()
  return {
    name,
    set: (next) => {
      sessionStorage.setItem(key, next)
      setName(next)
    },
    label: `console:${known}`,
  }
}
