// Does each scenario in a state directory of its own, one after the other, says what it was answered, and ends without closing anything.
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { openUnit } from '../fixtures/unit.ts'
import { unitOptions } from './options.ts'
import { scenarios } from './scenarios.ts'

const [root = '', ...names] = process.argv.slice(2)
const say = (line: Readonly<Record<string, string>>): void => void writeSync(1, `${JSON.stringify(line)}\n`)

for (const name of names) {
  const scenario = scenarios[name]
  if (scenario === undefined) throw new Error(`expected one of ${Object.keys(scenarios).join(', ')}, got ${name}`)
  say({ scenario: name })
  await scenario.run(await openUnit(unitOptions(join(root, name))), say)
}
process.exit(0)
