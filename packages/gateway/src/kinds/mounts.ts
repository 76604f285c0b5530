// Directories and files of the host inside a group's sandboxes: all of them, those that are not named go.
import type { After, Mount, Evidence } from '@gatehouse/contracts'
import { unitLocks } from '../state/lock.ts'
import { presentGroup } from '../state/unit-config.ts'
import { amount, nameList, quote } from '../text.ts'
import { isRemoved } from './terms.ts'
import { defineKind } from './kind.ts'
import { mountFailure } from './mount-rules.ts'

type Mounts = After<'mounts'>

const isSeen = (evidence: Evidence | null): boolean => evidence?.status === 'sighted'

/** Device and inode of what the approver was shown: another file at that path is another mount. */
const pin = (mount: Mount, evidence: Evidence | null) => {
  const seen = evidence?.status === 'sighted' ? evidence.mounts.find(({ source }) => source === mount.source) : undefined
  return {
    ...mount,
    ...(seen?.device === undefined ? {} : { device: seen.device }),
    ...(seen?.inode === undefined ? {} : { inode: seen.inode }),
  }
}

const why = ({ mounts }: Mounts, evidence: Evidence | null): string[] => {
  const written = mounts.filter(({ mode }) => mode === 'rw').map(({ source }) => source)
  return [
    ...(written.length > 0 ? [`The agent could change or delete what lies on the host in ${nameList(written)}.`] : []),
    ...(mounts.length > 0 && !isSeen(evidence) ? ['Nobody looked at what lies at these paths of the host.'] : []),
  ]
}

const inWords = ({ source, target, mode }: Mount): string =>
  `${quote(source)} at ${quote(target)} (${mode === 'rw' ? 'written and read' : 'read only'})`

export const mounts = defineKind('mounts', {
  target: 'existing',
  needsRelaunch: true,
  serializedBy: unitLocks.mounts,
  narrowsSandboxes: (before, after) => isRemoved(before['mounts'], after.mounts),
  // Another file at an approved path is another mount.
  appliesUnderFreeze: (after, { context, evidence }) =>
    !isRemoved(
      after.mounts.map((mount) => pin(mount, evidence)),
      presentGroup(context).mounts,
    ),
  requestKey: ({ mounts: asked }) => ({ mounts: asked.toSorted((a, b) => (a.target < b.target ? -1 : 1)) }),
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
      ? `Takes all mounts from ${context.agentGroupID}`
      : `Gives ${context.agentGroupID} ${amount(after.mounts.length, 'mount')}: ${after.mounts.map(inWords).join(', ')}`,
  apply: (after, { context, evidence }) => ({
    type: 'group',
    group: { ...presentGroup(context), mounts: after.mounts.map((mount) => pin(mount, evidence)) },
  }),
  invert: (_after, before) => (before === null ? undefined : { kind: 'mounts', after: before }),
})
