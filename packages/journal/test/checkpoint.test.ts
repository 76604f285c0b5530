import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { sha256 } from '@gatehouse/kernel'
import { openJournal, publishKeys, verifyJournal } from '../src/index.ts'
import { rechained } from './forge.ts'
import { lines, newOptions, openFor, rawLines, silent } from './state.ts'

interface RawEntry {
  seq: number
  stage: string
  detail: Record<string, unknown>
  prev: string
  hash: string
}

const entriesOf = (path: string): RawEntry[] => rawLines(path).map((text) => JSON.parse(text) as RawEntry)

/** Writes the entries as a valid chain, which is possible without the master key. */
const rechain = (path: string, entries: readonly RawEntry[]): void =>
  writeFileSync(
    path,
    Buffer.concat(
      rechained(
        entries.map((entry) => Buffer.from(JSON.stringify(entry))),
        0,
      ),
    ),
  )

describe('checkpoints', () => {
  test('are written after every 1,000 lines and at close, and verify with the public key', async (t) => {
    const options = newOptions(t)
    const first = await openJournal(options)
    await Promise.all(Array.from({ length: 25 }, (_, call) => first.append(lines(100, call * 100))))
    await first.close()
    assert.deepEqual(
      entriesOf(options.path).flatMap(({ seq, stage }) => (stage === 'checkpoint' ? [seq] : [])),
      [1001, 2002, 2503],
    )
    const second = await openFor(t, options)
    await second.append(lines(1000))
    assert.equal(entriesOf(options.path).at(-1)?.stage, 'checkpoint')
    assert.deepEqual(await verifyJournal(options), { ok: true, lines: 3504, head: second.head() })
  })

  test('count the unsigned lines of a process that was killed', async (t) => {
    const options = newOptions(t)
    const first = await openJournal(options)
    await first.append(lines(999))
    const second = await openFor(t, options)
    await second.append(lines(1))
    assert.deepEqual(entriesOf(options.path).at(-1)?.seq, 1001)
    await assert.rejects(first.append(lines(1)), { code: 'audit-unwritable' })
    await first.close()
  })

  test('are not repeated without new lines', async (t) => {
    const options = newOptions(t)
    const journal = await openFor(t, options)
    await journal.sign()
    await journal.append(lines(1))
    await Promise.all([journal.sign(), journal.sign()])
    await journal.sign()
    assert.deepEqual(
      entriesOf(options.path).map(({ stage }) => stage),
      ['submit', 'checkpoint'],
    )
  })

  test('are logged at debug level', async (t) => {
    const messages: object[] = []
    const options = {
      ...newOptions(t),
      log: { ...silent, debug: (message: string, fields?: object) => void messages.push({ message, ...fields }) },
    }
    const journal = await openFor(t, options)
    const { head } = await journal.append(lines(1))
    await journal.sign()
    assert.equal(messages.length, 1)
    assert.deepEqual({ ...messages[0], signature: '' }, { message: 'checkpoint', ...head, epoch: 1, signature: '' })
  })

  test('of an earlier epoch verify with its key, and are refused after one of a later epoch', async (t) => {
    const options = newOptions(t)
    const seeds = [options.seed, Buffer.alloc(32, 8)]
    const sign = async (epoch: number): Promise<void> => {
      const journal = await openJournal({ ...options, epoch, seed: seeds[epoch - 1]! })
      await journal.append(lines(1))
      await journal.close()
    }
    await sign(1)
    await assert.rejects(sign(2), /has the public keys of another journal/)
    await publishKeys(options.publicKeyPath, seeds)
    await sign(2)
    const verify = () => verifyJournal({ path: options.path, publicKeyPath: options.publicKeyPath })
    assert.equal((await verify()).ok, true)
    // An attacker with only the old key continues to sign: the public keys are replaced for that and restored before the check.
    const keys = readFileSync(options.publicKeyPath)
    rmSync(options.publicKeyPath)
    await sign(1)
    writeFileSync(options.publicKeyPath, keys)
    assert.deepEqual(await verify(), { ok: false, line: 6, reason: 'line 6: the checkpoint has epoch 1, but an earlier one has epoch 2' })
  })

  test('are written every minute while lines are added', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const options = newOptions(t)
    const journal = await openFor(t, options)
    await journal.append(lines(1))
    t.mock.timers.tick(60_000)
    await journal.append([])
    assert.deepEqual(
      entriesOf(options.path).map(({ stage }) => stage),
      ['submit', 'checkpoint'],
    )
  })

  test('reveal a history that was rewritten and chained again', async (t) => {
    const options = newOptions(t)
    const journal = await openJournal(options)
    await journal.append(lines(5))
    await journal.close()
    const entries = entriesOf(options.path)
    rechain(options.path, entries)
    assert.equal((await verifyJournal(options)).ok, true)
    entries[2]!.detail = { text: 'nothing to see here' }
    rechain(options.path, entries)
    assert.equal((await verifyJournal({ path: options.path })).ok, true)
    assert.deepEqual(await verifyJournal(options), {
      ok: false,
      line: 6,
      reason: 'line 6: the checkpoint does not match the head at line 5',
    })
    const { seq, hash } = { seq: 5, hash: sha256(rawLines(options.path)[4]!) }
    entries[5]!.detail = { ...entries[5]!.detail, seq, hash }
    rechain(options.path, entries)
    assert.deepEqual(await verifyJournal(options), {
      ok: false,
      line: 6,
      reason: 'line 6: the signature of the checkpoint does not match the public key',
    })
  })

  test('are invalid without the signed head or the signature', async (t) => {
    const options = newOptions(t)
    const journal = await openJournal(options)
    await journal.append(lines(2))
    await journal.close()
    for (const name of ['seq', 'hash', 'epoch', 'signature']) {
      const entries = entriesOf(options.path)
      const { [name]: _gone, ...rest } = entries[2]!.detail
      rechain(options.path, [...entries.slice(0, 2), { ...entries[2]!, detail: rest }])
      assert.deepEqual(await verifyJournal(options), {
        ok: false,
        line: 3,
        reason: 'line 3: the checkpoint has no seq, hash, epoch or signature',
      })
      rechain(options.path, entries)
    }
  })

  test('signed with another key are refused', async (t) => {
    const options = newOptions(t)
    const journal = await openJournal(options)
    await journal.append(lines(2))
    await journal.close()
    writeFileSync(options.publicKeyPath, generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }))
    const verdict = await verifyJournal(options)
    assert.ok(!verdict.ok && verdict.line === 3, JSON.stringify(verdict))
  })

  test('that were removed are noticed', async (t) => {
    const options = newOptions(t)
    const journal = await openJournal(options)
    await journal.append(lines(1500))
    await journal.close()
    rechain(
      options.path,
      entriesOf(options.path).filter(({ stage }) => stage !== 'checkpoint'),
    )
    assert.deepEqual(await verifyJournal(options), { ok: false, line: 1001, reason: 'line 1001: expected a checkpoint after 1000 lines' })
  })
})
