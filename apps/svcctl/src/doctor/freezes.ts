// What was stopped and not set free again.
import { type Check, pass, quoted, notAnswered, warn } from './check.ts'

export const freezes: Check = {
  name: 'freezes',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { frozen } = found.status
    if (frozen.length === 0) return [pass('nothing is frozen')]
    return frozen.map(({ agentGroupID, reason, by }) => {
      const what = agentGroupID === undefined ? 'the unit' : `the group ${agentGroupID}`
      return warn(
        `${what} is frozen by ${by}: ${reason}`,
        `svcctl unfreeze${agentGroupID === undefined ? '' : ` --group ${quoted(agentGroupID)}`} --reason "it is mended"`,
      )
    })
  },
}
