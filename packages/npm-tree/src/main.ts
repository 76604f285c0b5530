// The program of the sealed process that accesses a registry. It reads one task from a file and writes the outcome to another.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonBounds } from '@gatehouse/contracts'
import { jsonText } from '@gatehouse/kernel'
import * as v from 'valibot'
import { fetchTree } from './fetch.ts'
import { toRefused, type TreeOutcome, TreeTask } from './task.ts'
import { resolveTree } from './resolve.ts'

const maxReasonLength = 4096

const perform = async (task: TreeTask, work: string): Promise<TreeOutcome> => {
  try {
    if (task.act === 'resolve') return { end: 'resolved', lock: await resolveTree(task.names, task.registry, work) }
    await fetchTree(task.lock, task.registry, work)
    return { end: 'fetched' }
  } catch (error) {
    const { rule, message } = toRefused(error, 'the tree')
    return { end: 'refused', rule, reason: message.slice(0, maxReasonLength) }
  }
}

const [, , taskFile = '', work = ''] = process.argv
const task = v.parse(v.pipe(jsonText(jsonBounds.stateFile), TreeTask), await readFile(taskFile, 'utf8'))
await writeFile(join(work, 'outcome.json'), JSON.stringify(await perform(task, work)))
process.exit(0)
