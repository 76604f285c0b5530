// Types of the whole tree, and of the console, which has a browser's library.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Check } from './check.ts'
import { runProgram } from './program.ts'

const projects = ['tsconfig.json', 'apps/console/tsconfig.json']

export const types: Check = {
  name: 'types',
  async run({ root }) {
    const reports: string[] = []
    for (const project of projects.filter((path) => path === projects[0] || existsSync(join(root, path)))) {
      const state = join(root, '.cache', `${project.replaceAll('/', '-')}.tsbuildinfo`)
      const outcome = await runProgram('tsc', ['-p', project, '--incremental', '--tsBuildInfoFile', state], { cwd: root })
      if (!outcome.ok) reports.push(outcome.report)
    }
    return { ok: reports.length === 0, report: reports.join('\n') }
  },
}
