// Channels, runner and gateway are killed while messages come and answers go: each is heard once, and no answer is lost.
// Profile: rest. Kills under load; kill.test.ts kills each process once.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { applyChange } from '../../src/changes.ts'
import { allMessages } from '../../src/chat.ts'
import { sendWebhook, startReceiver, webhookSecret } from '../../src/channels/webhook.ts'
import { killAndWait } from '../../src/kill-and-wait.ts'
import { startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'
const [count, threads, kills] = isFull ? [1_000, 50, 45] : [36, 6, 3]
const patience = isFull ? 900_000 : 90_000
const secret = webhookSecret('k')

let unit: Unit
let receiver: Awaited<ReturnType<typeof startReceiver>>

before(async () => {
  receiver = await startReceiver(secret)
  unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off'], env: { WEBHOOK_SIGNING_SECRET: secret } })
  const place = { channel: 'webhook', address: receiver.url('k'), engage: 'all', session: 'thread' }
  await applyChange(unit, { kind: 'wiring', after: place })
})
after(async () => {
  await unit.dispose()
  await receiver.close()
})

/** As a sender does: again and again under the same id, until it is taken. Each is sent twice in any case. */
const send = async (index: number): Promise<void> => {
  const said = { address: receiver.url('k'), user: 'u', text: `m${index}`, thread: `t${index % threads}` }
  const sent = (): Promise<boolean> => sendWebhook(unit, said, { secret, id: `id-${index}` }).then(({ status }) => status === 202)
  await waitFor(`m${index} to be taken`, patience, sent)
  await waitFor(`m${index} to be taken again`, patience, sent)
}

const killAll = async (): Promise<void> => {
  const victims = ['channels', 'runner', 'gateway']
  for (let index = 0; index < kills; index += 1) {
    await killAndWait(unit, victims[index % victims.length] ?? 'channels', patience)
    if (isFull) await pause(200)
  }
}

test(`${count} messages come in once each, and every answer arrives, in the order of its thread`, { timeout: patience * 2 }, async (t) => {
  const lanes = Array.from({ length: threads }, async (_, lane) => {
    for (let index = lane; index < count; index += threads) await send(index)
  })
  await Promise.all([...lanes, killAll()])
  const wanted = Array.from({ length: count }, (_, index) => `echo: m${index}`)
  await waitFor('every answer', patience, async () => {
    const heard = new Set(receiver.heard.map(({ text }) => text))
    return wanted.every((text) => heard.has(text))
  })
  const all = await allMessages(unit)
  assert.deepEqual(
    all
      .filter(({ from }) => from === 'user')
      .map(({ text }) => text)
      .toSorted(),
    wanted.map((text) => text.slice('echo: '.length)).toSorted(),
  )
  assert.equal(receiver.state.forged, 0)
  assert.deepEqual((await unit.client.channels.list()).letters, [])
  for (let thread = 0; thread < threads; thread += 1) {
    const own = receiver.heard.filter((one) => one.thread === `t${thread}`)
    const first = [...new Map(own.map((one) => [one.id, one])).values()].map(({ text }) => text)
    assert.equal(new Set(first).size, first.length, 'an answer went out under two ids')
    const order = first.map((text) => Number(text.slice('echo: m'.length)))
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
      `thread ${thread}`,
    )
  }
  const repeated = receiver.heard.length - count
  t.diagnostic(`${count} messages, ${kills} kills, ${repeated} answers sent again`)
})

const bytesOf = (round: number): Buffer[] => [
  Buffer.from(`small ${round}`),
  Buffer.alloc(1_500_000, `large ${round} `),
  Buffer.from(`last ${round}`),
]

/** The agent sends three files, which are gone before the first of them is taken; runner and channels die at every border. */
const sendFiles = async (round: number): Promise<void> => {
  const { files } = unit.client
  const paths = ['a.txt', 'out/b.bin', 'c.txt'].map((name) => `round-${round}/${name}`)
  // The runner may just be back.
  for (const [index, path] of paths.entries()) {
    const bytes = Uint8Array.from(bytesOf(round)[index] ?? [])
    await waitFor(`${path} to be there`, patience, () => files.put('dev-agent', { path, bytes }))
  }
  receiver.state.refuses = ({ part, parts }) => parts > 1 && part > 0
  const args = { text: `files ${round}`, files: paths.map((path) => `/workspace/${path}`) }
  const said = { address: receiver.url('k'), user: 'u', text: `tool:send_message ${JSON.stringify(args)}`, thread: `files-${round}` }
  await waitFor('the order to be taken', patience, () =>
    sendWebhook(unit, said, { secret, id: `id-files-${round}` }).then(({ status }) => status === 202),
  )
  const taken = (part: number) =>
    waitFor(`part ${part}`, patience, async () => receiver.heard.find((one) => one.part === part && isOf(round, one)))
  await taken(0)
  // What the agent is killed at in the middle it does not know the outcome of.
  const isDone = async () => (await allMessages(unit)).filter(({ text }) => text === 'sent').length > round
  await waitFor('the agent to be done', patience, isDone)
  for (const path of paths) await files.remove('dev-agent', { path })
  for (const [part, victim] of [
    [1, 'runner'],
    [2, 'channels'],
    [3, 'runner'],
  ] as const) {
    await killAndWait(unit, victim, patience)
    receiver.state.refuses = (one) => one.part > part
    await taken(part)
  }
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

const isOf = (round: number, { thread }: { readonly thread: string | undefined }): boolean => thread === `files-${round}`

test(
  `files arrive as the agent sent them, though they are gone and runner and channels die between them`,
  { timeout: patience * 2 },
  async (t) => {
    for (let round = 0; round < (isFull ? 10 : 1); round += 1) {
      await sendFiles(round)
      await waitFor('the answer after them', patience, async () => receiver.heard.some((one) => isOf(round, one) && one.text === 'sent'))
      const heard = receiver.heard.filter((one) => isOf(round, one) && one.parts > 1)
      const once = [...new Map(heard.map((one) => [one.id, one])).values()]
      assert.deepEqual(
        once.map(({ text, files: [file] = [] }) => [text, file?.name, file?.size, file?.sha256]),
        [
          [`files ${round}`, undefined, undefined, undefined],
          ...bytesOf(round).map((bytes, index) => ['', ['a.txt', 'b.bin', 'c.txt'][index], bytes.length, digestOf(bytes)]),
        ],
      )
      assert.deepEqual(
        once.slice(1).map(({ files: [file] = [] }) => digestOf(Buffer.from(file?.content ?? '', 'base64'))),
        bytesOf(round).map(digestOf),
      )
      t.diagnostic(`round ${round}: ${heard.length - once.length} parts sent again`)
    }
    const { letters } = await waitFor('the letters', patience, () => unit.client.channels.list())
    assert.deepEqual([receiver.state.forged, letters], [0, []])
  },
)
