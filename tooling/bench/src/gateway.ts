// What the gateway costs: a durable change, an authorized call, a verified journal, a filtered page, an event to many.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureAuthorize } from './gateway/authorize.ts'
import { measureEvents } from './gateway/events.ts'
import { measureQueries, measureVerify, writeJournal } from './gateway/journal.ts'
import { measureSubmit } from './gateway/submit.ts'
import { printTable } from './measure.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)

export const run = async (): Promise<object> => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  try {
    const submit = await measureSubmit(folder)
    printTable(submit.rows)
    say(`submit ÷ fsync, p50: ${submit.fsyncs.toFixed(2)} (target 3); ${submit.rate.toFixed(0)} a second at 64 (target 3,000)\n`)

    const authorize = await measureAuthorize(folder)
    printTable(authorize.rows)
    say(
      `authorize ÷ bare birpc, p50: ${Object.entries(authorize.ratios)
        .map(([many, ratio]) => `${ratio.toFixed(2)} at ${many}`)
        .join(', ')} (target 1.3)\n`,
    )

    const events = await measureEvents()
    printTable([['submit → heard by each of 200 readers', events.figures]])
    say('')

    const stateDir = join(folder, 'journal')
    say('writing a journal of a million lines …')
    const path = await writeJournal(stateDir)
    const verify = await measureVerify(stateDir, path)
    say(
      `verify ${verify.verify.toFixed(0)} MB/s, sha256sum ${verify.sha256sum.toFixed(0)} MB/s over ${verify.megabytes.toFixed(0)} MB (target 200)\n`,
    )
    const queries = await measureQueries(stateDir)
    say(`index built at the first start in ${queries.opened.toFixed(1)} s`)
    printTable(queries.rows)
    return { submit, authorize, events, verify, queries }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
