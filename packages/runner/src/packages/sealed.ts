// Runs one task about a tree in a separate sandbox without keys and network, with one socket that leads to the registry.
import { jsonBounds, limits, ServiceError } from '@gatehouse/contracts'
import type { Driver, LaunchSpec } from '@gatehouse/engine'
import { jsonText } from '@gatehouse/kernel'
import { TreeOutcome, type TreeTask } from '@gatehouse/npm-tree'
import * as v from 'valibot'
import { readPlain } from '../safe-fs.ts'
import { openForwarder } from './forwarder.ts'
import { createWorkplace, specOf, type TreePlace, wayInside } from './room.ts'

const refused = (rule: string, reason: string): TreeOutcome => ({ end: 'refused', rule, reason })

const late = (): TreeOutcome =>
  refused(
    'deadline',
    `expected the registry to answer within ${limits.treeTime / 1000} s, got nothing: see that it can be reached, and try again`,
  )

const readOutcome = async (work: string): Promise<TreeOutcome> =>
  v.parse(
    v.pipe(jsonText(jsonBounds.packageTree), TreeOutcome),
    (await readPlain(work, ['outcome.json'], jsonBounds.packageTree.bytes)).toString('utf8'),
  )

const follow = async (lines: AsyncIterable<string>, tell: (line: string) => void): Promise<void> => {
  for await (const line of lines) tell(line)
}

/** Resolves with the outcome once the process is gone. */
const run = async (place: TreePlace, driver: Driver, { spec, work }: { spec: LaunchSpec; work: string }): Promise<TreeOutcome> => {
  const sandbox = await driver.launch(spec)
  let isLate = false
  const stop = (): void => void sandbox.stop()
  const timer = setTimeout(() => {
    isLate = true
    stop()
  }, place.treeTime)
  place.closing.addEventListener('abort', stop, { once: true })
  try {
    await follow(sandbox.output, (line) => place.log.debug('output about a tree', { id: spec.id, line }))
    const { code } = await sandbox.exited
    if (isLate) return late()
    if (code === 0) return await readOutcome(work)
    return refused('failed', 'expected the process that asks the registry to end in order, got a failure: see the log, and try again')
  } finally {
    clearTimeout(timer)
    place.closing.removeEventListener('abort', stop)
  }
}

/** npm sees no more than that its forwarder did not answer. */
const explained = (outcome: TreeOutcome, fault: string | undefined): TreeOutcome =>
  outcome.end === 'refused' && fault !== undefined ? { ...outcome, reason: fault } : outcome

/** `take` reads the work directory before it is removed. Rejects with `no-sandbox` where there is no isolation. */
export const inSealed = async <T>(
  place: TreePlace,
  task: (registry: TreeTask['registry']) => TreeTask,
  take: (outcome: TreeOutcome, work: string) => Promise<T>,
): Promise<T> => {
  const { driver, rootfs } = await place.posture.engaged(place.closing)
  if (driver.name === 'none') {
    throw new ServiceError('no-sandbox', {
      detail: 'expected a sandbox to resolve packages in, got the driver none, which provides no isolation',
    })
  }
  const identity = place.identities ?? undefined
  const room = await createWorkplace(place, driver.owner(identity))
  try {
    const way = await openForwarder({ ...place.registry, socket: room.socket, gid: room.gid, log: place.log })
    try {
      await room.give(task({ url: place.registry.registry, socket: wayInside }))
      const spec = specOf(place, room, { rootfs, identity })
      const outcome = await run(place, driver, { spec, work: room.work })
      return await take(explained(outcome, way.fault()), room.work)
    } finally {
      await way.close()
    }
  } finally {
    await room.remove()
  }
}
