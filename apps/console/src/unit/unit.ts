// What every page stands on: the API, the stream of news, and what the unit last said about itself.
import type { ConsoleClient } from '@gatehouse/client'
import { type AgentGroupID, type Freeze, type Role, roles, type Status } from '@gatehouse/contracts'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Stream } from '../live/stream.ts'

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

/** Undefined where the reader may; else the sentence that says why not. */
export const useLacks = (needed: Role): string | undefined => {
  const principal = useUnit().status?.principal
  if (principal === undefined || roles.indexOf(principal.role) >= roles.indexOf(needed)) return undefined
  return `You are ${principal.name} with the role ${principal.role}; this takes the role ${needed}.`
}

/** The stop that holds for this group, or for the whole unit. */
export const useFrozen = (group?: AgentGroupID | string): Freeze | undefined =>
  useUnit().status?.frozen.find(({ agentGroupID }) => agentGroupID === undefined || agentGroupID === group)
