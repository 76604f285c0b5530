// How strictly the unit was started.
import { type Check, pass, notAnswered, type Verdict, warn } from './check.ts'

export const posture: Check = {
  name: 'posture',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { mode, open, mcp } = found.status
    const verdicts: Verdict[] = [
      ...(mode === 'production'
        ? []
        : [
            warn(`mode ${mode}${open ? ', which asks for no token' : ''}: for trying things out alone`, {
              advice: 'start without --dev and --demo for real use',
            }),
          ]),
      ...(mcp.enabled && mcp.isolation === 'none' && mode !== 'dev'
        ? [warn('local tool servers run as plain processes', { advice: 'start with --mcp-isolation container' })]
        : []),
      ...(mcp.enabled && mcp.pinning === 'warn'
        ? [warn('tools that change after their approval stay allowed', { advice: 'start with --mcp-pinning refuse' })]
        : []),
    ]
    return verdicts.length === 0 ? [pass(`mode ${mode}`)] : verdicts
  },
}
