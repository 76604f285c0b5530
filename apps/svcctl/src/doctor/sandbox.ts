// Behind which walls agents run, as the unit found them.
import { type Check, fail, pass, notAnswered, warn } from './check.ts'

export const sandbox: Check = {
  name: 'sandbox',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { driver, engine, status, reason = 'no reason was given', missing, seal } = found.status.sandbox
    const name = driver === 'container' && engine !== undefined ? `${driver} (${engine})` : driver
    if (status === 'off') return [pass('off: this unit launches nothing')]
    if (status === 'refused' && seal === 'proving') return [warn(`pending: ${reason}`, { advice: 'svcctl doctor, once more in a moment' })]
    if (status === 'refused')
      return [
        fail(`launches are refused: ${reason}`, {
          advice: 'install what it names, or start with --sandbox off for the control plane alone',
        }),
      ]
    return [
      missing.length === 0
        ? pass(name)
        : warn(`${name} lacks walls: ${missing.join(', ')}`, { advice: 'for real use install runsc; see SECURITY.md' }),
    ]
  },
}
