// A change that waits is decided by e-mail, against Exim and Dovecot: by who may, of what was shown, and by nobody else.
// Profile: rest. Repeats approve.test.ts for another channel, with real mail servers.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { applyChange } from '../../src/changes.ts'
import { mintFor, submitMemory, submitPersona } from '../../src/channels/approvals.ts'
import { countedBy } from '../../src/channels/counted.ts'
import { addressOf, draft, type Letter, replyTo } from '../../src/channels/letters.ts'
import { lackingMailServers, startMailServers } from '../../src/channels/mail-servers.ts'
import { startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const skip = await lackingMailServers()
const patience = 60_000
const [agents, ann, ben, mallory] = ['agents', 'ann', 'ben', 'mallory'].map(addressOf) as [string, string, string, string]

let unit: Unit
let mail: Awaited<ReturnType<typeof startMailServers>>
/** Of Ben's token. */
let token: string

before(async () => {
  if (skip !== false) return
  mail = await startMailServers()
  unit = await startUnit({
    flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off'],
    env: { ...mail.env, SERVICE_PUBLIC_URL: 'https://gatehouse.example.org' },
  })
  const members = [ann, ben].map((user) => ({ channel: 'email', user }))
  await applyChange(unit, { kind: 'permissions', after: { members } })
  await applyChange(unit, { kind: 'wiring', after: { channel: 'email', address: agents, engage: 'all', session: 'thread' } })
  token = await mintFor(unit, { name: 'ben', role: 'approver', channel: 'email', users: [ben] })
  await mintFor(unit, { name: 'ann', role: 'requester', channel: 'email', users: [ann] })
})
after(async () => {
  await unit?.dispose()
  await mail?.close()
})

const letterTo = (name: string, what: string, fits: (letter: Letter) => boolean): Promise<Letter> =>
  waitFor(`a letter to ${name}: ${what}`, patience, async () => (await mail.letters(name)).findLast(fits))
const letterWith = (name: string, part: string): Promise<Letter> => letterTo(name, part, ({ body }) => body.includes(part))
const cardOf = (id: string): Promise<Letter> =>
  letterTo('ben', `the card of ${id}`, ({ body }) => body.startsWith('Change to') && body.includes(id))
const endOf = (id: string, end: string): Promise<Letter> =>
  letterTo('ben', `${id} ${end}`, ({ body }) => body.startsWith(`${id} was ${end}`))
const lineOf = ({ body }: Letter, outcome = 'approve'): string => new RegExp(`^${outcome} .+$`, 'm').exec(body)?.[0] ?? assert.fail(body)
const state = async (id: string): Promise<string> => (await unit.client.changes.show(id)).state

const asBen = (raw: string): Promise<void> => mail.send(raw, { from: 'ben', as: 'ben' })
const answer = (card: Letter, text: string, headers: readonly string[] = []): Promise<void> =>
  asBen(replyTo(card, { text, from: `Ben <${ben}>`, headers }))

suite('decisions by e-mail', { skip }, () => {
  test('letter in, tool refused, request, card by mail to the approver, reply, tool works, answer in the thread', async () => {
    const write = (text: string, id: string, headers: readonly string[] = []) => mail.send(draft({ text, id, headers }), { as: 'ann' })
    const inThread = ['References: <deploy@example.test>', 'Subject: Re: Deploy']
    await write('tool:sample__echo {"text":"early"}', '<deploy@example.test>')
    await letterWith('ann', 'refused')
    await write('request:mcp_access {"server":"sample","tools":["echo"]}', '<ask@example.test>', inThread)
    const id = /chg_\d{14}\.\d{9}/.exec((await letterWith('ann', 'requested mcp_access')).body)?.[0] ?? ''
    const card = await cardOf(id)
    const header = (name: string): string | undefined => card.header(name)
    assert.deepEqual(
      [header('From'), header('To'), header('Cc'), header('In-Reply-To'), header('Auto-Submitted')],
      [`Agents <${agents}>`, ben, undefined, undefined, 'auto-generated'],
    )
    assert.match(header('Subject') ?? '', /^Change \d{6}\.\d+ to dev-agent \(mcp_access, medium risk\)$/)
    assert.match(card.body, new RegExp(`^Details: https://gatehouse.example.org/ui/changes/${id}$`, 'm'))
    await answer(card, lineOf(card))
    const end = await endOf(id, 'approved and applied')
    assert.match(end.body, new RegExp(`by ben \\(email ${ben}\\)`))
    assert.equal(end.header('In-Reply-To'), card.header('Message-ID'))
    // Who asked for it is told too, where it was asked.
    const told = await letterTo('ann', 'how it ended', ({ body }) => body.startsWith(`${id} was approved`))
    assert.deepEqual([told.header('In-Reply-To'), told.header('To')], ['<ask@example.test>', ann])
    await write('tool:sample__echo {"text":"it works"}', '<again@example.test>', inThread)
    const worked = await letterWith('ann', 'it works')
    assert.deepEqual(
      [worked.header('In-Reply-To'), worked.header('References')],
      ['<again@example.test>', '<deploy@example.test> <again@example.test>'],
    )
    // A decision that comes again is the same one.
    await answer(card, lineOf(card))
    await asBen(draft({ text: 'anything else?', from: ben }))
    await letterWith('ben', 'echo: anything else?')
    const { decisions } = await unit.client.changes.show(id)
    assert.deepEqual(
      decisions.map(({ principal, via }) => [principal, via]),
      [['ben', { channel: 'email', user: ben }]],
    )
    assert.ok((await mail.letters('ben')).every(({ body }) => !body.includes('echo: approve')))
  })

  test('forged senders, strangers, others and what is quoted decide nothing; a name and a subject make no header', async () => {
    const id = await submitPersona(unit, 'line\r\nBcc: mallory@example.test\r\n\r\nbody')
    const card = await cardOf(id)
    const line = lineOf(card)
    const forged = replyTo(card, { text: line, from: ben })
    const claim = `Authentication-Results: mx.test; auth=pass smtp.auth=${ben}`
    const hidden = `=?utf-8?q?x=0D=0ABcc=3A_${mallory.replace('@', '=40')}?=`
    const counts = () => Promise.all(['unauthenticated', 'not_member'].map((outcome) => countedBy(unit, 'email', outcome)))
    const [unauthenticated = 0, strangers = 0] = await counts()
    await Promise.all([
      mail.send(forged, { from: 'ben' }),
      mail.send(forged, { from: 'mallory', as: 'mallory' }),
      mail.send(replyTo(card, { text: line, from: ben, headers: [claim] }), { from: 'ben', as: 'mallory' }),
      mail.send(replyTo(card, { text: line, from: mallory }), { from: 'mallory', as: 'mallory' }),
      mail.send(replyTo(card, { text: line }), { as: 'ann' }),
      asBen(
        draft({
          text: `${line.slice(0, line.lastIndexOf(' '))} ${'f'.repeat(16)}`,
          from: `${hidden} <${ben}>`,
          headers: [`Subject: ${hidden}`],
        }),
      ),
      answer(card, ''),
    ])
    await letterWith('ann', 'Not decided: decide needs the role approver or higher')
    const refusal = await letterWith('ben', 'changed after it was shown')
    assert.deepEqual([refusal.header('Bcc'), refusal.header('To')], [undefined, ben])
    assert.match(refusal.header('Subject') ?? '', /^Re: x Bcc: /)
    await letterTo('ben', 'what it quoted', ({ body }) => body.includes('echo: ') && body.includes(`> ${line}`))
    await waitFor('all to be counted', patience, async () => (await counts()).join() === [unauthenticated + 3, strangers + 1].join())
    assert.equal(await state(id), 'held')
    await answer(card, `${lineOf(card, 'reject')} not today`)
    assert.match((await endOf(id, 'rejected by ben')).body, /not today/)
    assert.deepEqual(await mail.letters('mallory'), [])
  })

  test('a header of the mail server that seems to name the sender, and names another, decides nothing', async () => {
    const id = await submitPersona(unit, 'by a forged sender')
    const card = await cardOf(id)
    // What a server writes of a signature whose identity the signer chose: the test says it in the server's place.
    const write = (results: string): Promise<void> =>
      mail.send(replyTo(card, { text: lineOf(card), from: ben, headers: [`X-Results: ${results}`] }), { from: 'mallory' })
    const forged = [
      `dkim=pass header.i="${ben}"@evil.test; dmarc=fail header.from=example.test`,
      `dkim=pass header.i="${ben}"@evil.test`,
      `auth=pass smtp.auth="${ben}"@evil.test`,
      'dkim=pass header.d=example.test; dmarc=fail header.from=example.test',
    ]
    const before = await countedBy(unit, 'email', 'unauthenticated')
    for (const results of forged) await write(results)
    await waitFor('all to be counted', patience, async () => (await countedBy(unit, 'email', 'unauthenticated')) === before + forged.length)
    assert.equal(await state(id), 'held')
    await write('dkim=pass header.i=@example.test; dmarc=pass header.from=example.test')
    await endOf(id, 'approved and applied')
  })

  test('a quoted line that lost its mark decides nothing, and the person is told how to decide', async () => {
    const id = await submitPersona(unit, 'by a quoted line')
    const card = await cardOf(id)
    const quoted = card.body
      .trim()
      .split('\n')
      .map((line) => (line === lineOf(card) ? line : `> ${line}`))
    await asBen(
      draft({
        text: ['Thank you, I will see', '', 'On Monday, Agents wrote:', ...quoted].join('\r\n'),
        from: ben,
        headers: [`In-Reply-To: ${card.header('Message-ID')}`],
      }),
    )
    const told = await letterWith('ben', 'Nothing was decided')
    assert.equal(told.header('Auto-Submitted'), 'auto-replied')
    assert.equal(await state(id), 'held')
    assert.ok((await mail.letters('ben')).every(({ body }) => !body.includes('echo: Thank you, I will see')))
    await answer(card, lineOf(card))
    await endOf(id, 'approved and applied')
  })

  test('nobody decides what he asked for himself, and nothing of high risk', async () => {
    const [own, high] = await Promise.all([submitPersona(unit, 'my own', token), submitMemory(unit)])
    const byHand = await cardOf(high)
    assert.doesNotMatch(byHand.body, /^approve /m)
    await asBen(draft({ text: `approve ${own} ${(await unit.client.changes.show(own)).digest}`, from: ben }))
    await answer(byHand, `approve ${high} ${(await unit.client.changes.show(high)).digest}`)
    await letterWith('ben', 'was requested by ben, and ben is the same person')
    await letterWith('ben', 'is high risk')
    assert.deepEqual([await state(own), await state(high)], ['held', 'held'])
    // A card goes to nobody who could not decide it.
    assert.ok((await mail.letters('ben')).every(({ body }) => !body.startsWith('Change to dev-agent') || !body.includes(own)))
  })

  test('what has moved since is shown anew, in the thread of its card, and decided as it is now', async () => {
    const id = await submitPersona(unit, 'stale')
    const card = await cardOf(id)
    await applyChange(unit, { kind: 'persona', after: { instructions: 'came between' } })
    await answer(card, lineOf(card))
    const now = await letterTo('ben', 'the card as it is now', ({ body }) => body.startsWith(`${id} is pending`))
    assert.equal(now.header('In-Reply-To'), card.header('Message-ID'))
    assert.notEqual(lineOf(now), lineOf(card))
    // In an e-mail of its own, whose subject precedes it for an agent.
    await asBen(draft({ text: lineOf(now), from: ben, headers: ['Subject: my decision'] }))
    await endOf(id, 'approved and applied')
  })
})
