// Which changes an external agent can have: its tool grants and its call rate. Other changes configure a sandbox, which an
// external agent does not have, so they are refused.
import type { AgentGroup, Failure, Kind } from '@gatehouse/contracts'
import { nameList } from '../text.ts'
import type { Bound } from './kind.ts'

const sandboxFeatures: Partial<Record<Kind, string>> = {
  persona: 'instructions',
  tools: 'built-in tools',
  packages: 'packages',
  wiring: 'a channel',
  mounts: 'mounts',
}

/** The only limit that the unit can enforce for an external agent. */
const enforcedLimit = 'callsPerMinute'

const otherPermissions = ({ limits, ...rest }: Bound['after']): string[] => [
  ...Object.keys(rest),
  ...Object.keys(limits ?? {}).filter((name) => name !== enforcedLimit),
]

const describeFeature = ({ kind, after }: Pick<Bound, 'kind' | 'after'>): string | undefined => {
  if (kind !== 'permissions') return sandboxFeatures[kind]
  const others = otherPermissions(after)
  return others.length === 0 ? undefined : nameList(others)
}

export const externalFailure = (bound: Pick<Bound, 'kind' | 'after'>, group: AgentGroup | undefined): Failure | undefined => {
  const feature = group?.agent === 'external' ? describeFeature(bound) : undefined
  if (feature === undefined) return undefined
  return {
    rule: 'external-agent',
    reason: `${group?.id} is an external agent and has no ${feature}: only tool grants and the limit ${enforcedLimit} apply to it`,
  }
}
