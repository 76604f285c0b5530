// oxlint with the rules that need types.
import type { Check } from './check.ts'
import { runProgram } from './program.ts'

export const lint: Check = {
  name: 'lint',
  run: ({ root }) => runProgram('oxlint', ['--type-aware', '--format=unix'], { cwd: root }),
}
