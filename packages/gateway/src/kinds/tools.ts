// Which of its own tools an agent has. Those without which it could neither answer nor ask stay on, named or not.
import { type After, alwaysOnTools, type BuiltinTool, builtinTools, kinds } from '@gatehouse/contracts'
import { presentGroup } from '../state/unit-config.ts'
import { nameList } from '../text.ts'
import { isRemoved } from './terms.ts'
import { defineKind } from './kind.ts'

/** In the order of the table, so that the same tools are the same list. */
const enabledBy = ({ enabled }: After<'tools'>): BuiltinTool[] => {
  const on = new Set<BuiltinTool>([...enabled, ...alwaysOnTools])
  return builtinTools.filter((tool) => on.has(tool))
}

export const tools = defineKind({
  name: 'tools',
  schema: kinds.tools,
  narrowing: false,
  target: 'existing',
  wish: (after) => ({ enabled: enabledBy(after) }),
  slice: (_after, world) => ({ enabled: presentGroup(world).tools }),
  outcome: (after) => ({ enabled: enabledBy(after) }),
  verify: () => undefined,
  takes: (before, after) => isRemoved(before['enabled'], enabledBy(after)),
  onlyTakes: (after, { world }) => !isRemoved(enabledBy(after), presentGroup(world).tools),
  risk: () => 'medium',
  describe: (after, world) => {
    const had = new Set<string>(presentGroup(world).tools)
    const has = new Set<string>(enabledBy(after))
    const on = [...has].filter((tool) => !had.has(tool))
    const off = [...had].filter((tool) => !has.has(tool))
    return `Turns built-in tools of ${world.agentGroupID} on: ${nameList(on)}; off: ${nameList(off)}`
  },
  apply: (after, { world }) => ({ type: 'group', group: { ...presentGroup(world), tools: enabledBy(after) } }),
  invert: (_after, before) => (before === null ? undefined : { kind: 'tools', after: before }),
})
