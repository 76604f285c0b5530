// What an agent group would be after an edit, and the changes that lead there: one for each part that differs. Pure functions.
import type { AgentGroup, BuiltinTool, Mount } from '@gatehouse/contracts'
import { type LimitName, limitNames } from '../../components/units.ts'
import { splitLines } from '../../components/split-lines.ts'

export interface Model {
  readonly provider: string
  readonly id: string
}

export interface Draft {
  readonly instructions: string
  readonly enabled: readonly BuiltinTool[]
  /** Undefined for an agent without a model. */
  readonly model: Model | undefined
  /** NaN for a field that is empty. */
  readonly limits: Readonly<Partial<Record<LimitName, number>>>
  readonly providerTools: readonly string[]
  /** One package a line. */
  readonly packages: string
  readonly mounts: readonly Mount[]
}

export interface Part {
  readonly kind: 'persona' | 'tools' | 'permissions' | 'packages' | 'mounts'
  readonly after: Readonly<Record<string, unknown>>
}

export const draftOf = (group: AgentGroup): Draft => ({
  instructions: group.persona,
  enabled: group.tools,
  model: group.agent === 'model' ? (group.model ?? { provider: 'anthropic', id: '' }) : undefined,
  limits: Object.fromEntries(limitNames.flatMap((name) => (group.limits[name] === undefined ? [] : [[name, group.limits[name]]]))),
  providerTools: group.providerTools,
  packages: group.packages?.npm.join('\n') ?? '',
  mounts: group.mounts.map(({ source, target, mode }) => ({ source, target, mode })),
})

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** An empty field keeps the limit that the group has. */
const changedLimits = (before: Draft['limits'], after: Draft['limits']): Draft['limits'] =>
  Object.fromEntries(
    limitNames.flatMap((name) => {
      const value = after[name]
      return value === undefined || Number.isNaN(value) || value === before[name] ? [] : [[name, value]]
    }),
  )

const permissionsOf = (before: Draft, after: Draft): Part['after'] => {
  const limits = changedLimits(before.limits, after.limits)
  return {
    ...(after.model !== undefined && !isSame(before.model, after.model) && { model: after.model }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(!isSame(before.providerTools, after.providerTools) && { providerTools: after.providerTools }),
  }
}

const packageNames = ({ packages }: Draft): readonly string[] => splitLines(packages).map((line) => line.trim())

/** The changes to submit, in the order of the form. */
export const touchedParts = (before: Draft, after: Draft): readonly Part[] => {
  const permissions = permissionsOf(before, after)
  const npm = packageNames(after)
  return [
    ...(after.instructions === before.instructions ? [] : [{ kind: 'persona', after: { instructions: after.instructions } } as const]),
    ...(isSame(before.enabled, after.enabled) ? [] : [{ kind: 'tools', after: { enabled: after.enabled } } as const]),
    ...(Object.keys(permissions).length === 0 ? [] : [{ kind: 'permissions', after: permissions } as const]),
    ...(isSame(packageNames(before), npm) ? [] : [{ kind: 'packages', after: { npm } } as const]),
    ...(isSame(before.mounts, after.mounts) ? [] : [{ kind: 'mounts', after: { mounts: after.mounts } } as const]),
  ]
}
