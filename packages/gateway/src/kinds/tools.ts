// Kind `tools`: the built-in tools of a group. The tools for answering and for requesting changes cannot be turned off.
import { type After, alwaysOnTools, type BuiltinTool, builtinTools } from '@gatehouse/contracts'
import { presentGroup } from '../state/unit-config.ts'
import { nameList } from '../text.ts'
import { isRemoved } from './terms.ts'
import { defineKind } from './kind.ts'

/** Always in the same order, so that equal sets are equal lists. */
const listEnabled = ({ enabled }: After<'tools'>): BuiltinTool[] => {
  const on = new Set<BuiltinTool>([...enabled, ...alwaysOnTools])
  return builtinTools.filter((tool) => on.has(tool))
}

export const tools = defineKind('tools', {
  target: 'existing',
  needsRelaunch: true,
  serializedBy: null,
  narrowsSandboxes: (before, after) => isRemoved(before['enabled'], listEnabled(after)),
  appliesUnderFreeze: (after, { context }) => !isRemoved(listEnabled(after), presentGroup(context).tools),
  requestKey: (after) => ({ enabled: listEnabled(after) }),
  slice: (_after, context) => ({ enabled: presentGroup(context).tools }),
  outcome: (after) => ({ enabled: listEnabled(after) }),
  verify: () => undefined,
  risk: () => 'medium',
  describe: (after, context) => {
    const before = new Set<string>(presentGroup(context).tools)
    const enabled = new Set<string>(listEnabled(after))
    const added = [...enabled].filter((tool) => !before.has(tool))
    const removed = [...before].filter((tool) => !enabled.has(tool))
    return `Changes the built-in tools of ${context.agentGroupID}: enables ${nameList(added)}; disables ${nameList(removed)}`
  },
  apply: (after, { context }) => ({ type: 'group', group: { ...presentGroup(context), tools: listEnabled(after) } }),
  invert: (_after, before) => (before === null ? undefined : { kind: 'tools', after: before }),
})
