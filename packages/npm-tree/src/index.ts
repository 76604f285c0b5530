// Public API: resolves and downloads trees of npm packages. No script of a package ever runs.
export { adoptTree, type FetchedTree, fetchTree, lockDigest, removeTree } from './fetch.ts'
export { TreeOutcome, TreeRefused, type TreeRule, TreeTask } from './task.ts'
export type { Registry } from './registry.ts'
export { resolveTree } from './resolve.ts'
