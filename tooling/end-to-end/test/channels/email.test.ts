// E-mail on a whole unit, against Exim and Dovecot: heard once from who is vouched for, answered in the thread, all else refused.
// Profile: rest. Repeats approve.test.ts for another channel, with real mail servers.
import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { applyChange } from '../../src/changes.ts'
import { countedBy } from '../../src/channels/counted.ts'
import { addressOf, type Draft, draft, filesOn, type Letter } from '../../src/channels/letters.ts'
import { lackingMailServers, passwordOf, startMailServers } from '../../src/channels/mail-servers.ts'
import { layParcels, makeParcel } from '../../src/channels/parcel.ts'
import { secretsLeft } from '../../src/channels/secrets.ts'
import { request } from '../../src/http.ts'
import { killAndWait } from '../../src/kill-and-wait.ts'
import { startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const skip = await lackingMailServers()
const patience = 60_000
const agents = addressOf('agents')
const ann = addressOf('ann')

let unit: Unit
let mail: Awaited<ReturnType<typeof startMailServers>>

const write = (wanted: Draft): Promise<void> => mail.send(draft(wanted), { as: 'ann' })

/** Letters are delivered beside each other: until it lies in the mailbox the next one may come before it. */
const writeFirst = async (wanted: Draft): Promise<void> => {
  const before = await mail.delivered('agents')
  await write(wanted)
  await waitFor('it to lie in the mailbox', patience, async () => (await mail.delivered('agents')) > before)
}

const letter = (text: string, to = 'ann'): Promise<Letter> =>
  waitFor(`a letter with "${text}"`, patience, async () => (await mail.letters(to)).find((one) => one.text.includes(text)))

const said = async (): Promise<string[]> =>
  (await unit.client.chat.messages('dev-agent')).messages.filter(({ from }) => from === 'user').map(({ text }) => text)

const conversationOf = async (text: string): Promise<string | undefined> =>
  (await unit.client.chat.messages('dev-agent')).messages.find((message) => message.text === text)?.conversationId

/** Mails that must not be heard, each with the end that it is counted under. */
const dropped = async (outcome: string, mails: readonly (() => Promise<unknown>)[]): Promise<void> => {
  const [before, words] = [await countedBy(unit, 'email', outcome), await said()]
  for (const send of mails) await send()
  await waitFor(
    `${mails.length} counted as ${outcome}`,
    patience,
    async () => (await countedBy(unit, 'email', outcome)) === before + mails.length,
  )
  assert.deepEqual(await said(), words)
}

suite('e-mail', { skip }, () => {
  before(async () => {
    mail = await startMailServers()
    unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off'], env: mail.env })
    const place = { channel: 'email', address: agents, engage: 'all', session: 'thread' }
    await applyChange(unit, { kind: 'permissions', after: { members: [{ channel: 'email', user: ann }] } })
    await applyChange(unit, { kind: 'wiring', after: place })
  })
  after(async () => {
    await unit.dispose()
    await mail.close()
  })

  test('an e-mail of a member reaches the agent, and the reply comes back in its thread, marked as automatic', async () => {
    await write({ text: 'hello', id: '<first@example.test>', headers: ['Subject: Deploy'] })
    const answer = await letter('echo: Subject: Deploy')
    assert.match(answer.text, /\n\nhello\n/)
    const header = (name: string): string => answer.header(name) ?? ''
    assert.deepEqual(
      [header('From'), header('To'), header('Subject'), header('In-Reply-To'), header('References'), header('Auto-Submitted')],
      [`Agents <${agents}>`, ann, 'Re: Deploy', '<first@example.test>', '<first@example.test>', 'auto-replied'],
    )
    assert.match(header('Message-ID'), /^<msg_[0-9a-f]{32}\.[0-9a-f]{24}@example\.test>$/)
  })

  test('an answer to the answer is in the same conversation, also where the program of the person forgot how it began', async () => {
    const ours = (await letter('echo: Subject: Deploy')).header('Message-ID') ?? ''
    const text = 'go on\r\n\r\nOn Monday, Agents wrote:\r\n> echo: Subject: Deploy\r\n>\r\n> hello'
    await write({ text, headers: [`In-Reply-To: ${ours}`, 'Subject: Re: Deploy'] })
    await letter('echo: go on')
    assert.equal(await conversationOf('go on'), await conversationOf('Subject: Deploy\n\nhello'))
  })

  test('a letter that comes again, with the same id, is one message', async () => {
    for (const _ of [1, 2, 3]) await write({ text: 'once', id: '<once@example.test>' })
    await write({ text: 'after once' })
    await letter('echo: after once')
    assert.equal((await said()).filter((text) => text === 'once').length, 1)
  })

  test('a sender that nobody vouches for is not heard, whatever the letter says of itself', async () => {
    const claim = 'Authentication-Results: mx.test; auth=pass smtp.auth=ann@example.test; dkim=pass header.d=example.test'
    await dropped('unauthenticated', [
      () => mail.send(draft({ text: 'not logged in' })),
      () => mail.send(draft({ text: 'with a claim of its own', headers: [claim] })),
      () => mail.send(draft({ text: 'logged in as another' }), { from: 'mallory', as: 'mallory' }),
      () => mail.send(draft({ text: 'logged in as another, with a claim', headers: [claim] }), { as: 'mallory' }),
    ])
    await dropped('automatic', [
      () => mail.send(draft({ text: 'two senders', headers: [`From: ${addressOf('mallory')}`] }), { as: 'ann' }),
      () => mail.send(draft({ text: 'a list of senders', from: `${ann}, ${addressOf('mallory')}` }), { as: 'ann' }),
    ])
  })

  test('a stranger who is who it says is not heard either, and is sent nothing', async () => {
    const mallory = addressOf('mallory')
    await dropped('not_member', [() => mail.send(draft({ text: 'let me in', from: mallory }), { from: 'mallory', as: 'mallory' })])
    assert.deepEqual(await mail.letters('mallory'), [])
  })

  test('machines are not heard: answers of machines, lists, bounces and the agents themselves', async () => {
    const marked = (header: string) => () => mail.send(draft({ text: header, headers: [header] }), { as: 'ann' })
    await dropped('automatic', [
      ...['Auto-Submitted: auto-replied', 'Precedence: bulk', 'List-Id: <list.example.test>'].map(marked),
      () => mail.send(draft({ text: 'a bounce' }), { from: '', as: 'ann' }),
      () => mail.send(draft({ text: 'ourselves', from: agents }), { from: 'agents', as: 'agents' }),
      () => mail.send(draft({ text: 'ourselves by another name', from: addressOf('agents+x') }), { from: 'agents', as: 'agents' }),
    ])
  })

  test('what a letter hides in its headers becomes no header of the answer, and no other receiver', async () => {
    const hidden = `=?utf-8?q?x=0D=0ABcc:_${addressOf('mallory').replace('@', '=40')}=0D=0A=0D=0Abody?=`
    await write({ text: 'inject', headers: [`Subject: ${hidden}`, `Reply-To: ${addressOf('mallory')}`] })
    const answer = await waitFor('the answer', patience, async () =>
      (await mail.letters('ann')).find(({ text }) => text.includes('inject')),
    )
    assert.equal(answer.header('Bcc'), undefined)
    assert.match(answer.header('Subject') ?? '', /^Re: x Bcc: /)
    assert.equal(answer.header('To'), ann)
    assert.deepEqual(await mail.letters('mallory'), [])
  })

  test('files come into the workspace, and one over the limit is named and left out', async () => {
    const part = (name: string, bytes: Buffer): string =>
      `--cut\r\nContent-Type: application/octet-stream; name="${name}"\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\n${bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n')}\r\n`
    const text = `--cut\r\nContent-Type: text/plain\r\n\r\nwith files\r\n${part('../../report.txt', Buffer.from('a report'))}${part('big.bin', Buffer.alloc(10 * 1024 * 1024 + 1))}--cut--`
    await write({ text, headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=cut'] })
    await letter('with files')
    const message = (await said()).find((one) => one.startsWith('with files')) ?? ''
    assert.match(message, /\[file "2-big\.bin" was not stored: larger than 10 MiB\]/)
    const path = /\[file "(inbox\/email-[0-9a-f]{16}\/report\.txt)", 8 bytes\]/.exec(message)?.[1]
    assert.ok(path !== undefined, message)
    const { text: kept } = await request(`${unit.address}/v1/agent-groups/dev-agent/files/${path}`)
    assert.equal(kept, 'a report')
  })

  test('files that the agent sends hang on its letter, whole', async () => {
    const parcels = ['report.bin', 'second.txt'].map(makeParcel)
    await write({ text: await layParcels(unit, { text: 'here they are', parcels }), id: '<files@example.test>' })
    const answer = await letter('here they are')
    assert.deepEqual([answer.header('In-Reply-To'), answer.header('To')], ['<files@example.test>', ann])
    const files = filesOn(answer)
    assert.deepEqual(
      files.map(({ name }) => name),
      ['report.bin', 'second.txt'],
    )
    assert.ok(files.every(({ bytes }, index) => bytes.equals(parcels[index]?.bytes ?? Buffer.alloc(0))))
  })

  test('a conversation whose queue cannot be read waits in the mailbox, in its order, and silences no other', async () => {
    await write({ text: 'before the damage', id: '<damaged@example.test>' })
    await letter('echo: before the damage')
    const conversation = await conversationOf('before the damage')
    const session = (await unit.client.sessions.list()).items.find(({ conversationId }) => conversationId === conversation)
    const key = join(unit.stateDir, 'keys', `${session?.id}.key`)
    await rename(key, `${key}.aside`)
    await killAndWait(unit, 'runner', patience)
    for (const text of ['first there', 'second there']) await writeFirst({ text, headers: ['References: <damaged@example.test>'] })
    await write({ text: 'elsewhere' })
    await letter('echo: elsewhere')
    await rename(`${key}.aside`, key)
    await waitFor('both to be heard', patience * 2, async () => (await said()).includes('second there'))
    assert.deepEqual(
      (await said()).filter((text) => text.endsWith(' there')),
      ['first there', 'second there'],
    )
  })

  test('while the mailbox is away letters wait there, and are heard in their order when it is back', async () => {
    await mail.stop('dovecot')
    await writeFirst({ text: 'one', id: '<one@example.test>' })
    await write({ text: 'two', headers: ['References: <one@example.test>'] })
    mail.startDovecot()
    await letter('echo: two')
    assert.deepEqual((await said()).slice(-2), ['one', 'two'])
  })

  test('while the server that sends is away answers wait, and none is lost', async () => {
    await write({ text: 'patience' })
    await letter('echo: patience')
    await write({ text: 'more patience' })
    await mail.stop('exim')
    await waitFor('it to be heard', patience, async () => (await said()).includes('more patience'))
    mail.startExim()
    await letter('echo: more patience')
  })

  test('credentials that were taken away in mid-life are named as such, and nothing of them is shown', async () => {
    const isUp = async (): Promise<boolean> => {
      const { items } = await unit.client.channels.list()
      return isDeepStrictEqual(
        items.map(({ name, state, account }) => [name, state, account]),
        [['email', 'up', agents]],
      )
    }
    assert.ok(await isUp())
    // Its pauses grew while the mailbox was away; those of another process are short.
    await killAndWait(unit, 'channels', patience)
    await waitFor('the mailbox to be heard again', patience, isUp)
    await mail.setPassword('another password')
    await mail.stop('dovecot')
    mail.startDovecot()
    const refused = await waitFor('the refusal', patience, async () => {
      const [item] = (await unit.client.channels.list()).items
      return item?.state === 'refused' ? item : undefined
    })
    assert.equal(refused.reason, 'the mail server rejected the credentials of the mailbox')
    assert.equal((await unit.client.channels.check('email')).accepted, false)
    const { degraded } = await unit.client.status()
    assert.ok(degraded.includes('channel email'), degraded.join())
    assert.deepEqual(await secretsLeft(unit, [passwordOf('agents')]), [])
  })
})
