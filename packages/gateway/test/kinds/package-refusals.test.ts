import type { Evidence } from '@gatehouse/contracts'

// What is refused of packages: by how they are named, and by what the runner found that they resolve to.
import { resolvedTree, stamp } from '../fixtures/change-context.ts'
import { testRefusals } from './refused.ts'

const npm = (...names: unknown[]) => ({ npm: names })
const asked = npm('is-odd@3.0.1')
const common = { at: stamp.at, age: 0, names: ['is-odd@3.0.1'] }
const refusedBy = (rule: string): Evidence => ({
  status: 'unresolved',
  ...common,
  refused: { rule, reason: 'expected another, got this: see' },
})

testRefusals('packages', [
  ['no list', {}, '/after/npm'],
  ['a range', npm('is-odd@^3.0.0'), '/after/npm/0'],
  ['a tag', npm('is-odd@latest'), '/after/npm/0'],
  ['no version', npm('is-odd'), '/after/npm/0'],
  ['an address of git', npm('git+https://example.org/a.git'), '/after/npm/0'],
  ['a file', npm('is-odd@file:../x'), '/after/npm/0'],
  ['an alias', npm('is-odd@npm:is-even@1.0.0'), '/after/npm/0'],
  ['a package twice', npm('is-odd@3.0.1', 'is-odd@3.0.0'), '/after/npm'],
  ['too many', npm(...Array.from({ length: 65 }, (_, n) => `p${n}@1.0.0`)), '/after/npm'],
  ['a lock of its own', { ...asked, lock: {} }, '/after/lock'],
  ['no answer of the registry', asked, 'packages-unresolved', { evidence: { status: 'unavailable', names: common.names } }],
  ['a git dependency', asked, 'packages-not-from-registry', { evidence: refusedBy('not-from-registry') }],
  ['a wrong digest', asked, 'packages-wrong-integrity', { evidence: refusedBy('wrong-integrity') }],
  ['a script', asked, 'packages-script', { evidence: resolvedTree(['is-odd@3.0.1'], { scripts: ['postinstall'] }) }],
])
