// Behind which walls agents run, as the unit found them.
import { type Check, fail, pass, skip, warn } from './check.ts'

export const sandbox: Check = {
  name: 'sandbox',
  run: async ({ unit }) => {
    const found = await unit
    if (!found.reached) return [skip('the unit does not answer')]
    const { driver, engine, status, reason = 'no reason was given', missing } = found.status.sandbox
    const name = driver === 'container' && engine !== undefined ? `${driver} (${engine})` : driver
    if (status === 'off') return [pass('off: this unit launches nothing')]
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
