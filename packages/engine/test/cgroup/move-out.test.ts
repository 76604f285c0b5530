// A supervising runtime is moved out of the group of its sandbox, never before the limited processes have ended.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { moveOutOfCgroup } from '../../src/cgroup/cleanup.ts'
import type { Group } from '../../src/cgroup/group.ts'

it('a runtime is moved out of the group of its sandbox once, after all other processes have left', { timeout: 60_000 }, async () => {
  const runtime = process.pid
  const rounds = [[], [runtime], [runtime, 2], [runtime, 2, 3], [3], [runtime, 3], [], [runtime], [runtime]]
  const out: number[] = []
  const group: Pick<Group, 'members' | 'letOut'> = {
    members: () => Promise.resolve(rounds.shift() ?? []),
    letOut: (pid) => {
      out.push(pid, rounds.length)
      return Promise.resolve()
    },
  }
  await moveOutOfCgroup(group, runtime)
  assert.deepEqual(out, [runtime, 1])
})
