// What a build makes: one bundle per process, two programs for the sandbox, the command line, the static console.
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')
export const dist = join(root, 'dist')

export interface Target {
  /** File below `dist`. */
  readonly output: string
  /** Source below the checkout. */
  readonly entry: string
  readonly minify: boolean
  /** File below `dist` for what the program loads late. */
  readonly late?: string
}

const service = (name: string, folder: string): Target => ({ output: `${name}.mjs`, entry: `${folder}/src/main.ts`, minify: false })

export const outputsOf = ({ output, late }: Target): readonly string[] => (late === undefined ? [output] : [output, late])

export const targets: readonly Target[] = [
  service('gatehouse', 'apps/supervisor'),
  { output: 'state.mjs', entry: 'apps/supervisor/src/state/index.ts', minify: false },
  service('gateway', 'packages/gateway'),
  service('broker', 'packages/broker'),
  service('model-proxy', 'packages/model-proxy'),
  service('runner', 'packages/runner'),
  service('channels', 'packages/channels'),
  service('control-plane', 'packages/control-plane'),
  service('mcp-sample', 'apps/mcp-sample'),
  { output: 'agent.mjs', entry: 'apps/agent/src/main.ts', minify: true, late: 'model.mjs' },
  { output: 'npm-tree.mjs', entry: 'packages/npm-tree/src/main.ts', minify: true },
  { output: 'probe.mjs', entry: 'packages/engine/src/seal/probe.ts', minify: false },
  { output: 'load.mjs', entry: 'packages/engine/src/seal/load.ts', minify: false },
]

/** The command line, a folder of small files below `dist`, and what it was made from. */
export const svcctl = { program: 'svcctl/svcctl.mjs', stamp: 'svcctl/.built-from' } as const

/** What a person types in a checkout, and the bundle behind it. */
export const launchers = [
  { output: 'bin/gatehouse', program: 'gatehouse.mjs' },
  { output: 'bin/svcctl', program: svcctl.program },
] as const
