// A gateway that does what each line on stdin names and answers with a line on stdout: its files are somebody else's to break.
import { createInterface } from 'node:readline'
import { isServiceError, limits } from '@gatehouse/contracts'
import { audit } from '../fixtures/records.ts'
import { context, openUnit } from '../fixtures/unit.ts'
import { careless } from './careless.ts'
import { facts, prepare, stages, unaudited, urgent, waiting } from './operations.ts'

const [dir = '', kind = ''] = process.argv.slice(2)
const unit = await openUnit({ dir, reserve: limits.auditReserve, ...(kind === 'careless' ? { journal: careless } : {}) })
const stage = await prepare(unit)

const run = async (name: string): Promise<unknown> => {
  if (name === 'facts') return facts(unit, stage)
  if (name === 'unaudited') return unaudited(unit)
  if (name === 'health') return (await unit.gateway.supervisor.health({}, context)).status
  if (name === 'late') return (await audit(unit)).filter(({ detail }) => 'late' in detail).map((line) => line.stage)
  if (name === 'journaled') return (await audit(unit)).map((line) => line.stage).filter((one) => Object.values(stages).includes(one))
  const operation = waiting[name] ?? urgent[name]
  if (operation === undefined) throw new Error(`no operation ${name}`)
  await operation(unit, stage)
  return 'done'
}

const answer = async (name: string): Promise<unknown> => {
  try {
    return await run(name)
  } catch (error) {
    if (isServiceError(error)) return error.code
    throw error
  }
}

process.stdout.write('"ready"\n')
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'close') break
  process.stdout.write(`${JSON.stringify(await answer(line))}\n`)
}
await unit.close()
process.stdout.write('"closed"\n')
process.stdin.destroy()
