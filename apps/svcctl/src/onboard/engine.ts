// Whether this unit can run an agent, and with which walls.
import { done, left, type Step } from './step.ts'

const remedy = 'svcctl doctor'

export const engine: Step = {
  name: 'engine',
  take: async ({ status }) => {
    const { sandbox } = await status()
    if (sandbox.status === 'off') return left('this unit launches no sandboxes: agents cannot run here, all else works', remedy)
    if (sandbox.status === 'refused') return left(`no sandbox can be launched: ${sandbox.reason ?? 'no reason was given'}`, remedy)
    if (sandbox.driver === 'none') return left('agents run without any walls, as programs of this host: for trials alone', remedy)
    const walls = sandbox.missing.length === 0 ? 'every wall stands' : `without these walls: ${sandbox.missing.join(', ')}`
    return done(`${sandbox.engine ?? sandbox.driver} runs sandboxes, ${walls}`)
  },
}
