// A backup of which the runner hears: that it goes on with each piece, and that it has ended, however it ends.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ServiceError } from '@gatehouse/contracts'
import { keepingDisks, KeptDisks } from '../../src/status/backups.ts'

const piece = Buffer.from('piece')
const warning = 'could not read a backup to its end'

/** A runner, and backups that open its disks as they begin. */
const backups = () => {
  const said: string[] = []
  const state: { still: boolean; fault: Error | undefined } = { still: true, fault: undefined }
  const disks = new KeptDisks({
    openDisks: async () => ({ closed: [], reading: 'reading' }),
    keepDisks: async ({ reading }) => {
      said.push(`keep ${reading}`)
      return { still: state.still }
    },
    leaveDisks: async ({ reading }) => {
      said.push(`leave ${reading}`)
      return {}
    },
  })
  const taking = keepingDisks(
    {
      begin: async () => {
        if (said.includes('begin')) throw new ServiceError('conflict')
        said.push('begin')
        await disks.open()
        if (state.fault !== undefined) throw state.fault
        return { id: 'backup', name: 'name' }
      },
      read: async (id) => {
        if (state.fault !== undefined) throw state.fault
        if (id !== 'backup') throw new ServiceError('not-found')
        return piece
      },
      end: async (id) => void said.push(`end ${id}`),
      close: async () => undefined,
    },
    disks,
    { warn: (text) => void said.push(text) },
  )
  return { said, state, taking, begin: () => taking.begin({ passphrase: 'a passphrase of some length' }) }
}

suite('a backup of which the runner hears', () => {
  test('goes on with each piece, and ends once', async () => {
    const { said, taking, begin } = backups()
    await begin()
    assert.equal(await taking.read('backup'), piece)
    await taking.end('backup')
    await taking.end('backup')
    assert.deepEqual(said, ['begin', 'keep reading', 'end backup', 'leave reading', 'end backup'])
  })

  test('gives no piece any more where groups may have moved', async () => {
    const { said, state, taking, begin } = backups()
    await begin()
    state.still = false
    await assert.rejects(taking.read('backup'), { code: 'unavailable', message: /files of groups may be missing/ })
    assert.deepEqual(said.slice(1), ['keep reading', warning, 'end backup', 'leave reading'])
  })

  test('has ended where it could not begin, or not be read', async () => {
    const early = backups()
    early.state.fault = new Error('planted')
    await assert.rejects(early.begin(), /planted/)
    assert.deepEqual(early.said, ['begin', 'leave reading'])
    const late = backups()
    await late.begin()
    late.state.fault = new Error('planted')
    await assert.rejects(late.taking.read('backup'), /planted/)
    assert.deepEqual(late.said, ['begin', warning, 'end backup', 'leave reading'])
  })

  test('is not ended by another that is refused, read or ended beside it', async () => {
    const { said, taking, begin } = backups()
    await begin()
    await assert.rejects(begin(), { code: 'conflict' })
    await assert.rejects(taking.read('other'), { code: 'not-found' })
    await taking.end('other')
    assert.ok(!said.includes('leave reading'))
    assert.equal(await taking.read('backup'), piece)
  })
})
