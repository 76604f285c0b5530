// oxfmt, which only looks here and never writes.
import type { Check } from './check.ts'
import { runProgram } from './program.ts'

export const format: Check = {
  name: 'format',
  run: ({ root }) => runProgram('oxfmt', ['--check'], { cwd: root }),
}
