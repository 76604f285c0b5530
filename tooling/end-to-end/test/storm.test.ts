// Messages while whatever carries them is killed at random: each is answered once and in order, nothing is left behind, and a unit beside
// it notices nothing. Under the full profile 500 messages and 300 kills, else 30 and 12. Prints its seed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { descendants, endNow } from '../src/descendants.ts'
import { seeded } from '../src/random.ts'
import { allMessages, say, sendSurely } from '../src/chat.ts'
import { startUnit, type Unit } from '../src/unit.ts'
import { tracesOf } from '../src/traces.ts'
import { waitFor } from '../src/wait-for.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const [messages, kills] = isFull ? [500, 300] : [30, 12]
const flags = ['--dev', '--sandbox', 'bubblewrap', '--rate-limit', 'off']
const patience = 60_000
const group = 'dev-agent'

const seed = Number(process.env['GATEHOUSE_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const random = seeded(seed)
const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)]

const victims = ['gateway', 'runner', 'broker', 'control-plane', 'sandbox'] as const
/** Milliseconds from each kill until its process was ready again. */
const recoveries: number[] = []

/** One of the unit's processes, or a part of a sandbox. Resolves when its place is taken again. */
const killOne = async (unit: Unit): Promise<string | undefined> => {
  const victim = pick(victims) ?? 'runner'
  const pid = await unit.pidOf(victim === 'sandbox' ? 'runner' : victim).catch(() => undefined)
  if (pid === undefined) return undefined
  if (victim === 'sandbox') {
    const parts = await waitFor('a sandbox', patience, async () => {
      const found = await descendants(pid)
      return found.length > 0 ? found : undefined
    }).catch(() => [])
    const part = pick(parts)
    if (part === undefined) return undefined
    endNow(part)
    // Five deaths of a sandbox within ten minutes park its session, as they should: a person wakes it.
    return victim
  }
  endNow(pid)
  const since = performance.now()
  await waitFor(`${victim} to be back`, patience, async () => {
    const { processes } = await unit.client.status()
    const found = processes.find(({ name }) => name === victim)
    return found?.state === 'ready' && found.pid !== pid
  })
  recoveries.push(performance.now() - since)
  return victim
}

const wake = async (unit: Unit): Promise<void> => {
  const { items } = await unit.client.sessions.list().catch(() => ({ items: [] }))
  for (const { id, state } of items) if (state === 'parked') await unit.client.sessions.resume(id).catch(() => undefined)
}

/** Those that stay: trial sandboxes, which prove the seal after a start, come and go beside them. */
const processesOf = async (unit: Unit) => (await unit.client.status()).processes.map(({ name, pid }) => ({ name, pid }))

test(
  `${messages} messages are answered once and in order while ${kills} processes are killed`,
  { timeout: isFull ? 3_600_000 : 600_000 },
  async (t) => {
    t.diagnostic(`GATEHOUSE_SEED=${seed}`)
    const unit = await startUnit({ flags })
    t.after(unit.dispose)
    const beside = await startUnit({ flags })
    t.after(beside.dispose)
    assert.equal(await say(beside, 'beside'), 'echo: beside')
    const untouched = await waitFor('the neighbour to rest', patience, async () => {
      const { items } = await beside.client.sessions.list()
      return items.every(({ waiting }) => waiting === 0) && items
    })
    const running = await processesOf(beside)
    assert.equal(await say(unit, 'first'), 'echo: first')

    const sent: string[] = []
    const killed: string[] = []
    const sending = (async () => {
      for (let index = 0; index < messages; index += 1) sent.push((await sendSurely(unit, `message ${index}`)).messageId)
    })()
    const killing = (async () => {
      while (killed.length < kills) {
        const victim = await killOne(unit)
        if (victim !== undefined) killed.push(victim)
        await wake(unit)
      }
    })()
    await Promise.all([sending, killing])
    t.diagnostic(`killed ${victims.map((name) => `${name} ${killed.filter((one) => one === name).length}`).join(', ')}`)

    const back = recoveries.toSorted((a, b) => a - b)[Math.floor(recoveries.length * 0.95)] ?? 0
    t.diagnostic(`p95 of the time until a process was ready again: ${back.toFixed(0)} ms`)

    const said = await waitFor('every message to be answered', patience * (isFull ? 10 : 2), async () => {
      await wake(unit)
      const all = await allMessages(unit, group)
      const answered = new Set(all.flatMap(({ inReplyTo, from }) => (from === 'agent' && inReplyTo !== undefined ? [inReplyTo] : [])))
      return sent.every((id) => answered.has(id as never)) ? all : undefined
    })
    const ours = said.filter(({ id, inReplyTo }) => sent.includes(id) || sent.includes(inReplyTo ?? ''))
    assert.deepEqual(
      ours.filter(({ from }) => from === 'user').map(({ id }) => id),
      sent,
    )
    assert.deepEqual(
      ours.filter(({ from }) => from === 'agent').map(({ inReplyTo, text }) => [inReplyTo, text]),
      sent.map((id, index) => [id, `echo: message ${index}`]),
    )
    assert.deepEqual(
      said.map(({ seq }) => seq),
      said.map((_, index) => index + 1),
    )

    assert.deepEqual((await beside.client.sessions.list()).items, untouched)
    assert.deepEqual(await processesOf(beside), running)
    await unit.stop()
    await waitFor('nothing of the unit to be left', patience, async () => {
      // A sandbox of the neighbour begins with a copy of the mounts that its host had then.
      const theirs = new Set((await descendants(beside.pid)).map((pid) => `mountinfo of ${pid}`))
      assert.deepEqual(
        (await tracesOf(unit, isFull)).filter((trace) => !theirs.has(trace)),
        [],
      )
      return true
    })
    assert.equal(await say(beside, 'still here'), 'echo: still here')
  },
)
