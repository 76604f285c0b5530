// What a change may be about where the agent runs outside of the unit: the tools that it may call, and how often. Nothing of it is
// in a sandbox, so that a change of one would promise what nobody keeps.
import type { AgentGroup, Failure, Kind } from '@gatehouse/contracts'
import { nameList } from '../text.ts'
import type { Bound } from './kind.ts'

const ofSandbox: Partial<Record<Kind, string>> = {
  persona: 'instructions',
  tools: 'built-in tools',
  packages: 'packages',
  wiring: 'a channel',
  mounts: 'mounts',
}

/** The only limit that the unit can hold it to. */
const keptLimit = 'callsPerMinute'

const otherPermissions = ({ limits, ...rest }: Bound['after']): string[] => [
  ...Object.keys(rest),
  ...Object.keys(limits ?? {}).filter((name) => name !== keptLimit),
]

const what = ({ kind, after }: Pick<Bound, 'kind' | 'after'>): string | undefined => {
  if (kind !== 'permissions') return ofSandbox[kind]
  const others = otherPermissions(after)
  return others.length === 0 ? undefined : nameList(others)
}

export const externalFailure = (bound: Pick<Bound, 'kind' | 'after'>, group: AgentGroup | undefined): Failure | undefined => {
  const about = group?.agent === 'external' ? what(bound) : undefined
  if (about === undefined) return undefined
  return {
    rule: 'external-agent',
    reason: `expected an agent in a sandbox of this unit, but ${group?.id} runs outside of it and has no ${about}: what it may use are grants of tool servers and the limit ${keptLimit}`,
  }
}
