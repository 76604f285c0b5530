// Does one scenario in a state directory, says what it was answered, and ends without closing anything.
import { writeSync } from 'node:fs'
import { openUnit } from '../fixtures/unit.ts'
import { unitOptions } from './options.ts'
import { scenarios } from './scenarios.ts'

const [dir = '', name = ''] = process.argv.slice(2)
const scenario = scenarios[name]
if (scenario === undefined) throw new Error(`expected one of ${Object.keys(scenarios).join(', ')}, got ${name}`)
const unit = await openUnit(unitOptions(dir))
await scenario.run(unit, (line) => void writeSync(1, `${JSON.stringify(line)}\n`))
process.exit(0)
