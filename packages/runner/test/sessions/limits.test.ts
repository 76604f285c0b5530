// Each limit of a group that its sandboxes meet, behind real walls: it is reached, whoever talks to the agent is told, and it is
// counted once for each sandbox. The limits of calls and of model tokens have their rows in the packages that enforce them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GroupLimits } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { lacking, missingControls, openSealed } from '../fixtures/sealed.ts'
import { agentPath } from '../fixtures/unit.ts'

const controls = ['memory-limit', 'process-limit', 'cpu-limit'] as const
const skip = lacking !== false ? lacking : controls.some((control) => missingControls.includes(control)) && 'needs control groups'
const deadline = 180_000
/** Node alone has more than ten threads. */
const few = 28

const reached: readonly [limit: keyof GroupLimits, limits: GroupLimits, act: string, told: RegExp][] = [
  ['memoryMiB', { memoryMiB: 128 }, 'hog', /was stopped: it used more memory than it may/],
  ['processes', { processes: few }, 'crowd', /was stopped: it wanted more processes and threads than it may have/],
]

describe('a limit of a group', { skip, timeout: 240_000 }, () => {
  for (const [limit, limits, act, told] of reached)
    it(`${limit}: a sandbox that reaches it is stopped, people are told why, and it is counted`, async (t) => {
      const unit = await openSealed(t, { agent: agentPath, times: { restartFirst: 600_000, restartMost: 600_000 } })
      unit.gateway.group.limits = limits
      assert.equal(await unit.chat('hello'), 'echo: hello')
      assert.equal(await unit.count('group_limit_reached_total', limit), 0)
      await unit.send(act)
      await waitFor(async () => (await unit.texts()).some((text) => told.test(text)), { what: String(told), deadline })
      assert.equal(await unit.count('group_limit_reached_total', limit), 1)
    })

  it('cpus: a sandbox that wants more is slowed down and goes on, and the time is counted', async (t) => {
    const unit = await openSealed(t, { agent: agentPath })
    unit.gateway.group.limits = { cpus: 0.25 }
    assert.equal(await unit.chat('spin'), 'spinning')
    const throttled = () => unit.count('sandbox_cpu_throttled_seconds_total')
    const first = await waitFor(async () => (await throttled()) || undefined, { what: 'a sandbox that is held back', deadline })
    await waitFor(async () => (await throttled()) > first, { what: 'more time to be counted', deadline })
    assert.equal(await unit.chat('hello'), 'echo: hello')
  })
})
