// Where the files of a group lie on the host, and how a path becomes names.
import { type AgentGroupID, type FilePlace, stateFiles } from '@gatehouse/contracts'

export interface Where {
  readonly agentGroupID: AgentGroupID
  readonly place: FilePlace
  readonly path: string
}

export const placeOf = ({ stateDir }: { readonly stateDir: string }, { agentGroupID, place }: Omit<Where, 'path'>): string =>
  `${stateDir}/${stateFiles.groups}/${agentGroupID}/${place}`

export const namesIn = (path: string): string[] => (path === '' ? [] : path.split('/'))
