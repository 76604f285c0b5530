// gVisor goes into the group of its sandbox, and waits at the end until that is empty. Where groups are ours in part alone it cannot go back.
import { access } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Group } from './group.ts'

const every = 100

const lives = (pid: number): Promise<boolean> =>
  access(`/proc/${pid}`).then(
    () => true,
    () => false,
  )

/** Once the runtime is alone where others were: what is to be limited is never let out. Resolves then, or when it is gone; rejects never. */
export const letOutAtEnd = async (group: Pick<Group, 'members' | 'letOut'>, runtime: number): Promise<void> => {
  let hadOthers = false
  while (await lives(runtime)) {
    const members = await group.members()
    const others = members.some((pid) => pid !== runtime)
    if (hadOthers && !others && members.length > 0) return group.letOut(runtime)
    hadOthers ||= others
    await pause(every, undefined, { ref: false })
  }
}
