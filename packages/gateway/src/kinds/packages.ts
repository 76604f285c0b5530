// Packages of npm inside a group's sandboxes: all of them, those that are not named go. What is approved is the whole tree.
import type { After, Failure, PackageLock, Evidence } from '@gatehouse/contracts'
import { presentGroup } from '../state/unit-config.ts'
import { amount, nameList } from '../text.ts'
import { isRemoved } from './terms.ts'
import { defineKind } from './kind.ts'

type Packages = After<'packages'>

const sorted = ({ npm }: Packages): Packages['npm'] => npm.toSorted()

const scriptFailure = ({ packages }: PackageLock): Failure | undefined => {
  const running = packages.find(({ scripts }) => scripts.length > 0)
  return running === undefined
    ? undefined
    : {
        rule: 'packages-script',
        reason: `expected packages that need no script to be installed, got ${running.name}@${running.version} with ${nameList(running.scripts)}: none is ever run here, so name another package`,
      }
}

/** Before the witness was asked there is nothing to judge. */
const failureIn = (evidence: Evidence | null): Failure | undefined => {
  switch (evidence?.status) {
    case 'resolved':
      return scriptFailure(evidence.lock)
    case 'unresolved':
      return { rule: `packages-${evidence.refused.rule}`, reason: evidence.refused.reason }
    case 'unavailable':
      return {
        rule: 'packages-unresolved',
        reason:
          'expected the registry to resolve these packages within a minute, got no answer: see that the sandbox and the registry work, and submit it again',
      }
    default:
      return undefined
  }
}

const treeIn = (evidence: Evidence | null) => (evidence?.status === 'resolved' ? { tree: evidence.tree } : {})

const why = (evidence: Evidence | null): string[] => {
  const tree = evidence?.status === 'resolved' ? evidence.lock.packages : []
  const binary = tree.filter(({ binaries }) => binaries.length > 0).map(({ name }) => name)
  return [
    'Programs that other people wrote run inside the sandbox, with all that the agent may reach.',
    ...(binary.length > 0 ? [`Some of it is machine code that nobody can read: ${nameList(binary)}.`] : []),
  ]
}

export const packages = defineKind('packages', {
  target: 'existing',
  needsRelaunch: true,
  serializedBy: null,
  narrowsSandboxes: (before, after) => isRemoved(before['npm'], sorted(after)),
  appliesUnderFreeze: ({ npm }) => npm.length === 0,
  requestKey: (after) => ({ npm: sorted(after) }),
  slice: (_after, context) => {
    const { packages: installed } = presentGroup(context)
    return installed === undefined ? { npm: [] } : { npm: installed.npm, tree: installed.tree }
  },
  outcome: (after, { evidence }) => ({ npm: sorted(after), ...treeIn(evidence) }),
  verify: (after, { evidence }) => (after.npm.length === 0 ? undefined : failureIn(evidence)),
  requiredEvidence: (after) => (after.npm.length === 0 ? undefined : { from: 'registry', names: sorted(after) }),
  risk: ({ npm }) => (npm.length === 0 ? 'medium' : 'high'),
  why: ({ npm }, { evidence }) => (npm.length === 0 ? [] : why(evidence)),
  describe: (after, context) =>
    after.npm.length === 0
      ? `Takes all packages from ${context.agentGroupID}`
      : `Gives ${context.agentGroupID} ${amount(after.npm.length, 'package')} of npm with all that they need: ${nameList(sorted(after))}`,
  apply: (after, { context, evidence }, { changeID }) => {
    const { packages: _before, ...group } = presentGroup(context)
    if (evidence?.status !== 'resolved' || after.npm.length === 0) return { type: 'group', group }
    return { type: 'group', group: { ...group, packages: { npm: sorted(after), tree: evidence.tree, changeID } } }
  },
  invert: (_after, before) => (before === null ? undefined : { kind: 'packages', after: { npm: before['npm'] } }),
})
