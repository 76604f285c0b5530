// Channels, runner and gateway are killed while people of Slack, Telegram and e-mail write: each message is heard once, and no
// answer is lost. Slack and Telegram are servers of our own, Exim and Dovecot are real.
// Profile: rest. Kills under load, repeated for three channels.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { applyChange } from '../../src/changes.ts'
import { lackingMailServers } from '../../src/channels/mail-servers.ts'
import { layParcels, makeParcel, type Parcel } from '../../src/channels/parcel.ts'
import { secretsLeft } from '../../src/channels/secrets.ts'
import { type Answer, type Service, startServices } from '../../src/channels/services.ts'
import { allMessages } from '../../src/chat.ts'
import { killAndWait } from '../../src/kill-and-wait.ts'
import { removeState } from '../../src/remove-state.ts'
import { freshDirectory, startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const [count, lanes, kills] = isFull ? [1_000, 40, 45] : [8, 2, 3]
/** Messages with files, of each service. */
const rounds = 8
/** So many are under way in one conversation. */
const burst = isFull ? 5 : 4
const patience = isFull ? 1_200_000 : 90_000
const key = randomBytes(32)
const skip = await lackingMailServers()

let services: Service[] = []
let stateDir: string
let unit: Unit

const start = (environments: readonly Service['env'][]): Promise<Unit> => {
  const env = Object.assign({ WEBHOOK_SIGNING_SECRET: `whsec_${key.toString('base64')}` }, ...environments)
  return startUnit({ stateDir, flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--log-level', 'debug'], env })
}

const wire = ({ channel, place }: Service, lane: number): Promise<string> =>
  applyChange(unit, { kind: 'wiring', after: { channel, address: place(lane), engage: 'all', session: 'shared' } })

before(async () => {
  if (skip !== false) return
  stateDir = await freshDirectory()
  services = await startServices()
  unit = await start(services.map(({ env }) => env))
  for (const service of services) for (let lane = 0; lane < lanes; lane += 1) await wire(service, lane)
})
after(async () => {
  await unit?.dispose()
  if (skip === false) await removeState(stateDir)
  await Promise.all(services.map(({ close }) => close()))
})

const textOf = ({ channel }: Service, index: number): string => `${channel} ${index}`
const answerTo = (text: string): string => `echo: ${text}`
const laneOf = (text: string): number => Number(text.split(' ').at(-1)) % lanes

/** What agents said there: cards of the wirings stand there too. */
const echoes = async ({ answers }: Service): Promise<Answer[]> => (await answers()).filter(({ text }) => text.startsWith(answerTo('')))

/** Texts that have been answered, looked at for everybody who waits. */
const heard = new Set<string>()
const watch = async (signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    for (const service of services) for (const { text } of await echoes(service)) heard.add(text)
    await pause(isFull ? 500 : 50, undefined, { signal }).catch(() => undefined)
  }
}

/** One conversation: some words, and the next ones when those were answered. Every third comes twice. */
const talk = async (service: Service, lane: number): Promise<void> => {
  const texts = Array.from({ length: count }, (_, index) => textOf(service, index)).filter((text) => laneOf(text) === lane)
  for (let at = 0; at < texts.length; at += burst) {
    const part = texts.slice(at, at + burst)
    for (const [index, text] of part.entries()) await service.say(lane, text, index % 3 === 0)
    await waitFor(`answers to ${part.join()}`, patience, () => part.every((text) => heard.has(answerTo(text))))
  }
}

const killAll = async (): Promise<void> => {
  const victims = ['channels', 'runner', 'gateway']
  for (let index = 0; index < kills; index += 1) {
    await killAndWait(unit, victims[index % victims.length] ?? 'channels', patience)
    if (isFull) await pause(1_000)
  }
}

const said = (text: string): Promise<unknown> =>
  waitFor(`the agent to say ${text}`, patience, async () =>
    (await allMessages(unit)).some((one) => one.from !== 'user' && one.text === text),
  )

const numbers = (texts: readonly string[]): number[] => texts.map((text) => Number(text.split(' ').at(-1)))
const byLane = (texts: readonly string[]): string[][] =>
  Array.from({ length: lanes }, (_, lane) => texts.filter((text) => laneOf(text) === lane))

const judge = (t: TestContext, service: Service, { said, given }: { said: readonly string[]; given: readonly Answer[] }): void => {
  const { channel, keepsOrder } = service
  const wanted = Array.from({ length: count }, (_, index) => textOf(service, index))
  assert.deepEqual(said.toSorted(), wanted.toSorted(), `${channel}: each was heard once`)
  if (keepsOrder)
    for (const lane of byLane(said))
      assert.deepEqual(
        lane,
        lane.toSorted((a, b) => Number(a.split(' ')[1]) - Number(b.split(' ')[1])),
      )
  const first = [...new Set(given.map(({ text }) => text))]
  assert.deepEqual(first.toSorted(), wanted.map(answerTo).toSorted(), `${channel}: each was answered`)
  // A conversation is answered in the order in which it was heard.
  assert.deepEqual(byLane(first).map(numbers), byLane(said).map(numbers), channel)
  const ids = given.filter(({ id }) => id !== undefined)
  if (ids.length > 0) assert.equal(new Set(ids.map(({ id }) => id)).size, count, `${channel}: an answer went out under two ids`)
  t.diagnostic(`${channel}: ${count} messages, ${given.length - count} answers sent again`)
}

suite('kills', { skip }, () => {
  test(`${count} messages of each service come in once, and every answer arrives, in order`, { timeout: patience * 2 }, async (t) => {
    const done = new AbortController()
    const watching = watch(done.signal)
    const talks = services.flatMap((service) => Array.from({ length: lanes }, (_, lane) => talk(service, lane)))
    await Promise.all([...talks, killAll()]).finally(() => done.abort())
    await watching
    const said = (await allMessages(unit)).filter(({ from }) => from === 'user').map(({ text }) => text)
    for (const service of services)
      judge(t, service, { said: said.filter((text) => text.startsWith(`${service.channel} `)), given: await echoes(service) })
    assert.deepEqual((await unit.client.channels.list()).letters, [])
    t.diagnostic(`${kills} kills`)
  })

  if (isFull) {
    test(
      `files of ${rounds} messages each arrive whole behind their texts while channels and runner are killed`,
      { timeout: patience },
      async (t) => {
        for (const service of services) {
          const sent: Parcel[] = []
          for (let round = 0; round < rounds; round += 1) {
            const parcels = ['a', 'b'].map((name) => makeParcel(`${service.channel}-${round}-${name}.bin`))
            sent.push(...parcels)
            await service.say(round % lanes, await layParcels(unit, { text: `files ${service.channel} ${round}`, parcels }), false)
            // What an agent was about to do when the runner died it does not do again: it has said it by then.
            await said(`files ${service.channel} ${round}`)
            await pause(20 * (round % 8))
            await killAndWait(unit, round % 3 === 2 ? 'runner' : 'channels', patience)
          }
          const missing = async (): Promise<Parcel[]> => {
            const came = await service.files()
            return sent.filter(({ name, bytes }) => !came.some((one) => one.name === name && bytes.equals(one.bytes)))
          }
          await waitFor(`the files of ${service.channel}`, patience, async () => (await missing()).length === 0)
          const came = await service.files()
          assert.ok(
            came.every(({ name, bytes }) => sent.some((one) => one.name === name && bytes.equals(one.bytes))),
            'none is cut or mixed',
          )
          t.diagnostic(`${service.channel}: ${sent.length} files, ${rounds} kills, ${came.length - sent.length} came twice`)
        }
        assert.deepEqual((await unit.client.channels.list()).letters, [])
      },
    )
  }

  test('no credential of a channel stands in a log, an answer, a file or what a process was told', async () => {
    const secrets = [...services.flatMap((service) => service.secrets), key.toString('base64'), key.toString('latin1')]
    assert.equal(secrets.length, 6)
    assert.deepEqual(await secretsLeft(unit, secrets), [])
  })

  if (isFull) {
    test('credentials that are taken away are told, and with new ones all are up and answer', { timeout: patience }, async () => {
      const renewed = await Promise.all(services.map(({ revoke }) => revoke()))
      await waitFor('all to be refused', patience, async () => {
        const { items } = await unit.client.channels.list()
        return items.filter(({ state }) => state === 'refused').length === services.length
      })
      const { degraded } = await unit.client.status()
      for (const { channel } of services) assert.ok(degraded.includes(`channel ${channel}`), degraded.join())
      await unit.stop()
      unit = await start(renewed)
      for (const service of services) {
        // A unit for development begins anew at each start.
        await wire(service, 0)
        await service.say(0, textOf(service, count), false)
        await waitFor(`${service.channel} to answer`, patience, async () =>
          (await echoes(service)).some(({ text }) => text === answerTo(textOf(service, count))),
        )
      }
    })
  }
})
