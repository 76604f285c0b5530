// The build that the tests of the whole unit rest on.
import type { Check } from './check.ts'
import { runProgram } from './program.ts'

export const build: Check = {
  name: 'build',
  alone: true,
  run: ({ root }) => runProgram(process.execPath, ['tooling/build/src/main.ts'], { cwd: root }),
}
