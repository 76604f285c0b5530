// The instructions of a group.
import { kinds } from '@gatehouse/contracts'
import { presentGroup } from '../state/unit-config.ts'
import { defineKind } from './kind.ts'

export const persona = defineKind({
  name: 'persona',
  schema: kinds.persona,
  narrowing: false,
  target: 'existing',
  slice: (_after, world) => ({ instructions: presentGroup(world).persona }),
  verify: () => undefined,
  risk: () => 'medium',
  describe: (after, world) =>
    `Replaces the persona of ${world.agentGroupID} (${presentGroup(world).persona.length} characters) by one of ${after.instructions.length} characters`,
  apply: (after, { world }) => ({ type: 'group', group: { ...presentGroup(world), persona: after.instructions } }),
  invert: (_after, before) => (before === null ? undefined : { kind: 'persona', after: before }),
})
