// knip: files, exports and dependencies that nothing uses.
import type { Check } from './check.ts'
import { runProgram } from './program.ts'

export const unused: Check = {
  name: 'unused',
  run: ({ root }) =>
    runProgram('knip', ['--no-progress', '--no-config-hints', '--cache', '--cache-location', '.cache/knip'], { cwd: root }),
}
