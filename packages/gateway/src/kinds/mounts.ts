// Kind `mounts`: replaces the whole list of host directories and files that a group's sandboxes can access.
import type { After, Mount, Evidence } from '@gatehouse/contracts'
import { unitLocks } from '../state/lock.ts'
import { presentGroup } from '../state/unit-config.ts'
import { nameList, quote } from '../text.ts'
import { isRemoved } from './terms.ts'
import { defineKind } from './kind.ts'
import { mountFailure } from './mount-rules.ts'

type Mounts = After<'mounts'>

const isInspected = (evidence: Evidence | null): boolean => evidence?.status === 'sighted'

/** Adds the device and inode that the approver was shown, so a different file at the same path is not mounted. */
const pin = (mount: Mount, evidence: Evidence | null) => {
  const inspection = evidence?.status === 'sighted' ? evidence.mounts.find(({ source }) => source === mount.source) : undefined
  return {
    ...mount,
    ...(inspection?.device === undefined ? {} : { device: inspection.device }),
    ...(inspection?.inode === undefined ? {} : { inode: inspection.inode }),
  }
}

const why = ({ mounts }: Mounts, evidence: Evidence | null): string[] => {
  const writable = mounts.filter(({ mode }) => mode === 'rw').map(({ source }) => source)
  return [
    ...(writable.length > 0 ? [`The agent can change or delete files on the host in ${nameList(writable)}.`] : []),
    ...(mounts.length > 0 && !isInspected(evidence) ? ['These host paths could not be inspected.'] : []),
  ]
}

const describeMount = ({ source, target, mode }: Mount): string =>
  `${quote(source)} at ${quote(target)} (${mode === 'rw' ? 'read-write' : 'read-only'})`

export const mounts = defineKind('mounts', {
  target: 'existing',
  needsRelaunch: true,
  serializedBy: unitLocks.mounts,
  narrowsSandboxes: (before, after) => isRemoved(before['mounts'], after.mounts),
  // A different file at an approved path counts as a new mount.
  appliesUnderFreeze: (after, { context, evidence }) =>
    !isRemoved(
      after.mounts.map((mount) => pin(mount, evidence)),
      presentGroup(context).mounts,
    ),
  requestKey: ({ mounts: requested }) => ({ mounts: requested.toSorted((a, b) => (a.target < b.target ? -1 : 1)) }),
  slice: (_after, context) => ({ mounts: presentGroup(context).mounts.map(({ source, target, mode }) => ({ source, target, mode })) }),
  verify: (after, input) => mountFailure(after.mounts, input),
  requiredEvidence: (after) => {
    const sources = [...new Set(after.mounts.map(({ source }) => source))]
    return sources.length === 0 ? undefined : { from: 'runner', sources }
  },
  risk: (after, { evidence }) => (why(after, evidence).length > 0 ? 'high' : 'medium'),
  why: (after, { evidence }) => why(after, evidence),
  describe: (after, context) =>
    after.mounts.length === 0
      ? `Removes all mounts from ${context.agentGroupID}`
      : `Sets the mounts of ${context.agentGroupID}: ${after.mounts.map(describeMount).join(', ')}`,
  apply: (after, { context, evidence }) => ({
    type: 'group',
    group: { ...presentGroup(context), mounts: after.mounts.map((mount) => pin(mount, evidence)) },
  }),
  invert: (_after, before) => (before === null ? undefined : { kind: 'mounts', after: before }),
})
