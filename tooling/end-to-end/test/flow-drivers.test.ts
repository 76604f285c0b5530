// The whole mission over HTTP alone, in every other sandbox driver and with the sample server as a remote one; in the full profile as both
// in every driver.
// Profile: rest. Repeats flow.test.ts in each driver.
import { findCombinations, type Combination } from '../src/combinations.ts'
import { testFlow, type Transport } from './fixtures/flow.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'

/** A server is the broker's, whichever driver an agent is in: one driver with both, here and in `flow.test.ts`, shows that. */
const transportsOf = ({ name }: Combination): readonly Transport[] => {
  if (name === 'bubblewrap') return ['http']
  if (full) return ['stdio', 'http']
  return [name === 'docker with runc' ? 'http' : 'stdio']
}

for (const combination of await findCombinations()) for (const transport of transportsOf(combination)) testFlow(combination, transport)
