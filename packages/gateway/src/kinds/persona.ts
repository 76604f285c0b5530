// Kind `persona`: replaces the instructions of a group.
import { presentGroup } from '../state/unit-config.ts'
import { defineKind } from './kind.ts'

export const persona = defineKind('persona', {
  target: 'existing',
  needsRelaunch: true,
  serializedBy: null,
  narrowsSandboxes: 'never',
  appliesUnderFreeze: 'never',
  slice: (_after, context) => ({ instructions: presentGroup(context).persona }),
  verify: () => undefined,
  risk: () => 'medium',
  describe: (after, context) =>
    `Replaces the persona of ${context.agentGroupID} (${presentGroup(context).persona.length} characters) with a new one (${after.instructions.length} characters)`,
  apply: (after, { context }) => ({ type: 'group', group: { ...presentGroup(context), persona: after.instructions } }),
  invert: (_after, before) => (before === null ? undefined : { kind: 'persona', after: before }),
})
