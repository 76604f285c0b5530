// Opens the stores of a unit, works and closes them while the disk fails, once for each line on stdin: the way to the fault, the
// directory, the file for what was answered. A line on stdout says what came of it. Runs under `nth.c`.
import { appendFileSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { isServiceError } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { openStores } from '../../src/stores/opened.ts'
import { work, type Worked } from '../../src/stores/work.ts'

/** @returns whether it came to the fault */
const command = (path: string): boolean => {
  try {
    openSync(path, 'r')
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EEXIST'
  }
  throw new Error('expected to run under nth.c')
}

/** A process that cannot open what it owns ends, and is started again. */
const isEnd = (error: unknown): boolean => error instanceof Refusal || isServiceError(error) || (error instanceof Error && 'code' in error)

const run = async (dir: string, saidFile: string): Promise<Worked & { isClosed: boolean }> => {
  try {
    const opened = await openStores(dir)
    const worked = await work(opened, (line) => appendFileSync(saidFile, `${JSON.stringify(line)}\n`))
    const isClosed = await opened.close().then(
      () => true,
      () => false,
    )
    return { ...worked, isClosed }
  } catch (error) {
    return { refused: ['start'], unclean: isEnd(error) ? [] : [String(error)], isClosed: false }
  }
}

process.stdout.write('{}\n')
for await (const line of createInterface({ input: process.stdin })) {
  const [fault = '', dir = '', saidFile = ''] = line.split(' ')
  command(fault)
  const worked = await run(dir, saidFile)
  process.stdout.write(`${JSON.stringify({ ...worked, fired: command('/nth/end') })}\n`)
}
process.exit(0)
