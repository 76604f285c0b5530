// The Node that runs this.
import { type Check, fail, pass } from './check.ts'

const least = 24

export const runtime: Check = {
  name: 'runtime',
  run: async () => {
    const major = Number(process.versions.node.split('.', 1)[0])
    return [
      major >= least
        ? pass(`Node ${process.versions.node}`)
        : fail(`Node ${process.versions.node}, expected ${least} or later`, 'npx pnpm@12 install'),
    ]
  },
}
