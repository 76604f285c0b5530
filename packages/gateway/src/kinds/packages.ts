// Kind `packages`: replaces the whole list of npm packages in a group's sandboxes. The approval covers the resolved tree.
import type { After, Failure, PackageLock, Evidence } from '@gatehouse/contracts'
import { presentGroup } from '../state/unit-config.ts'
import { nameList } from '../text.ts'
import { isRemoved } from './terms.ts'
import { defineKind } from './kind.ts'

type Packages = After<'packages'>

const sorted = ({ npm }: Packages): Packages['npm'] => npm.toSorted()

const scriptFailure = ({ packages }: PackageLock): Failure | undefined => {
  const scripted = packages.find(({ scripts }) => scripts.length > 0)
  return scripted === undefined
    ? undefined
    : {
        rule: 'packages-script',
        reason: `${scripted.name}@${scripted.version} needs install scripts (${nameList(scripted.scripts)}), which are never run: choose another package`,
      }
}

/** Undefined before the runner resolved the packages. */
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
          'the registry did not resolve these packages within a minute: check the sandbox and the registry, then submit the change again',
      }
    default:
      return undefined
  }
}

const readTree = (evidence: Evidence | null) => (evidence?.status === 'resolved' ? { tree: evidence.tree } : {})

const why = (evidence: Evidence | null): string[] => {
  const tree = evidence?.status === 'resolved' ? evidence.lock.packages : []
  const binary = tree.filter(({ binaries }) => binaries.length > 0).map(({ name }) => name)
  return [
    'Third-party code runs inside the sandbox with the same access as the agent.',
    ...(binary.length > 0 ? [`These packages contain compiled binaries that cannot be reviewed: ${nameList(binary)}.`] : []),
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
  outcome: (after, { evidence }) => ({ npm: sorted(after), ...readTree(evidence) }),
  verify: (after, { evidence }) => (after.npm.length === 0 ? undefined : failureIn(evidence)),
  requiredEvidence: (after) => (after.npm.length === 0 ? undefined : { from: 'registry', names: sorted(after) }),
  risk: ({ npm }) => (npm.length === 0 ? 'medium' : 'high'),
  why: ({ npm }, { evidence }) => (npm.length === 0 ? [] : why(evidence)),
  describe: (after, context) =>
    after.npm.length === 0
      ? `Removes all packages from ${context.agentGroupID}`
      : `Sets the npm packages of ${context.agentGroupID}, with their dependencies: ${nameList(sorted(after))}`,
  apply: (after, { context, evidence }, { changeID }) => {
    const { packages: _before, ...group } = presentGroup(context)
    if (evidence?.status !== 'resolved' || after.npm.length === 0) return { type: 'group', group }
    return { type: 'group', group: { ...group, packages: { npm: sorted(after), tree: evidence.tree, changeID } } }
  },
  invert: (_after, before) => (before === null ? undefined : { kind: 'packages', after: { npm: before['npm'] } }),
})
