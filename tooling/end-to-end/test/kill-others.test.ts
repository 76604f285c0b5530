// Killing the broker or the runner at any moment is an ordinary event, too.
// Profile: rest. Repeats kill.test.ts for two other services.
import { testKills } from './fixtures/killed-service.ts'

testKills('broker')
testKills('runner')
