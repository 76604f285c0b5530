// Mail loops through Exim and Dovecot, with all limits off: between two units, and with a machine that marks nothing.
// Profile: rest. Floods real mail servers; the bounds are tested in packages/channels.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { applyChange } from '../../src/changes.ts'
import { countedBy } from '../../src/channels/counted.ts'
import { addressOf, draft, type Letter } from '../../src/channels/letters.ts'
import { lackingMailServers, startMailServers } from '../../src/channels/mail-servers.ts'
import { startUnit, type Unit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'

const skip = await lackingMailServers()
const patience = 90_000
const maxAnswers = 5

suite('mail loops', { skip }, () => {
  let mail: Awaited<ReturnType<typeof startMailServers>>
  let units: readonly [Unit, Unit]

  const startAt = async (name: 'agents' | 'ben'): Promise<Unit> => {
    const unit = await startUnit({ flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off'], env: mail.envOf(name) })
    await applyChange(unit, {
      kind: 'wiring',
      after: { channel: 'email', address: addressOf(name), engage: 'all', session: 'thread' },
    })
    return unit
  }
  before(async () => {
    mail = await startMailServers()
    units = await Promise.all([startAt('agents'), startAt('ben')])
  })
  after(async () => {
    await Promise.all((units ?? []).map((unit) => unit.dispose()))
    await mail?.close()
  })

  const counted = async (outcome: string): Promise<number> => {
    const all = await Promise.all(units.map((unit) => countedBy(unit, 'email', outcome)))
    return all.reduce((sum, count) => sum + count, 0)
  }

  /** A letter of Ben to the agents, whose answer Ben's own unit hears. Resolves with how many letters were answered. */
  const answersUntilEnd = async (): Promise<number> => {
    const [taken, ended] = [await counted('accepted'), await counted('automatic')]
    await mail.send(draft({ text: 'hello', from: addressOf('ben') }), { from: 'ben', as: 'ben' })
    await waitFor('the loop to end', patience, async () => (await counted('automatic')) > ended)
    return (await counted('accepted')) - taken
  }

  test('two units answer each other once, since their letters are marked', async () => {
    assert.equal(await answersUntilEnd(), 1)
  })

  test('a machine that marks nothing is answered five times at most', async () => {
    const ended = await counted('automatic')
    const answer = (letter: Letter): Promise<void> => {
      const id = letter.header('Message-ID') ?? ''
      const references = [letter.header('References'), id].filter((one) => one !== undefined).join(' ')
      const headers = [`In-Reply-To: ${id}`, `References: ${references}`, `Subject: Re: ${letter.header('Subject') ?? ''}`]
      return mail.send(draft({ text: `I got: ${letter.body}`, headers }), { as: 'ann' })
    }
    await mail.send(draft({ text: 'hello', headers: ['Subject: loop'] }), { as: 'ann' })
    let answered = 0
    await waitFor('the loop to end', patience, async () => {
      const letters = await mail.letters('ann')
      for (const letter of letters.slice(answered)) await answer(letter)
      answered = letters.length
      return (await counted('automatic')) > ended
    })
    assert.ok(answered >= 1 && answered <= maxAnswers, String(answered))
  })

  test('two units whose marks are lost on the way end within five answers', async () => {
    await mail.removeMarks()
    const answers = await answersUntilEnd()
    assert.ok(answers >= 2 && answers <= maxAnswers * units.length, String(answers))
  })
})
