// Which of its own tools an agent has. Those without which it could neither answer nor ask stay on, named or not.
import { type After, alwaysOnTools, type BuiltinTool, builtinTools } from '@gatehouse/contracts'
import { presentGroup } from '../state/unit-config.ts'
import { nameList } from '../text.ts'
import { isRemoved } from './terms.ts'
import { defineKind } from './kind.ts'

/** In the order of the table, so that the same tools are the same list. */
const enabledBy = ({ enabled }: After<'tools'>): BuiltinTool[] => {
  const on = new Set<BuiltinTool>([...enabled, ...alwaysOnTools])
  return builtinTools.filter((tool) => on.has(tool))
}

export const tools = defineKind('tools', {
  target: 'existing',
  needsRelaunch: true,
  serializedBy: null,
  narrowsSandboxes: (before, after) => isRemoved(before['enabled'], enabledBy(after)),
  appliesUnderFreeze: (after, { context }) => !isRemoved(enabledBy(after), presentGroup(context).tools),
  requestKey: (after) => ({ enabled: enabledBy(after) }),
  slice: (_after, context) => ({ enabled: presentGroup(context).tools }),
  outcome: (after) => ({ enabled: enabledBy(after) }),
  verify: () => undefined,
  risk: () => 'medium',
  describe: (after, context) => {
    const had = new Set<string>(presentGroup(context).tools)
    const has = new Set<string>(enabledBy(after))
    const on = [...has].filter((tool) => !had.has(tool))
    const off = [...had].filter((tool) => !has.has(tool))
    return `Turns built-in tools of ${context.agentGroupID} on: ${nameList(on)}; off: ${nameList(off)}`
  },
  apply: (after, { context }) => ({ type: 'group', group: { ...presentGroup(context), tools: enabledBy(after) } }),
  invert: (_after, before) => (before === null ? undefined : { kind: 'tools', after: before }),
})
