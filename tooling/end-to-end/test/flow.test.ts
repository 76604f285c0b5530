// The whole mission over HTTP alone, in one sandbox driver, with the sample server as a local one.
import { findCombinations } from '../src/combinations.ts'
import { testFlow } from './fixtures/flow.ts'

for (const combination of await findCombinations()) if (combination.name === 'bubblewrap') testFlow(combination, 'stdio')
