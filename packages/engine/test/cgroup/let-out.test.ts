// A runtime that only watches is let out of its sandbox's group: never before what is to be limited is gone.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { moveOutOfCgroup } from '../../src/cgroup/cleanup.ts'
import type { Group } from '../../src/cgroup/group.ts'

it('a runtime is let out of the group of its sandbox once, when all others have left that were there', { timeout: 60_000 }, async () => {
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
