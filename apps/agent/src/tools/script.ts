// `run_script` as a tool of the model.
import { objectOf, type OwnTool } from './own.ts'
import { runScript } from './run-script.ts'

export const scriptTool: OwnTool = {
  name: 'run_script',
  description:
    'Runs an ES module by Node and returns its stdout, stderr and exit code. It may import the approved packages, read and write below /workspace, and has no network.',
  schema: objectOf({ code: { type: 'string' }, timeoutMs: { type: 'integer', minimum: 1, maximum: 60_000 } }, ['code']),
  // It may have had effects.
  repeatable: false,
  run: async (args) => {
    const result = await runScript(args)
    return { text: JSON.stringify(result), ...(result.exitCode === 0 ? {} : { failed: true }) }
  },
}
