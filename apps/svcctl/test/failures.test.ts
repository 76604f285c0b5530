// What goes wrong: words or a problem on stderr, nothing on stdout, and the exit code of the table.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { suite, test } from 'node:test'
import { type Code, codes, ServiceError } from '@gatehouse/contracts'
import { exitCodeOf, render, toFailure } from '../src/output/failure.ts'
import { startUnit } from './fake-unit.ts'
import { svcctl } from './svcctl.ts'

const wire: readonly Code[] = ['unauthorized', 'forbidden', 'rate-limited', 'internal']

suite('a problem of the unit', () => {
  for (const code of wire) {
    test(`${code} ends with ${codes[code].exit}`, async () => {
      await using unit = await startUnit({ problems: { 'GET /v1/changes/pending': code } })
      const ended = await svcctl(['change', 'pending'], { env: { SERVICE_API_URL: unit.address } })
      assert.equal(ended.code, codes[code].exit)
      assert.equal(ended.stdout, '')
      assert.equal(ended.stderr, `Error: planted ${code}\n  requestId: req-12345678\nTry: a hint\n`)
    })
  }

  test('is JSON on stderr under --json', async () => {
    await using unit = await startUnit({ problems: { 'GET /v1/status': 'forbidden' } })
    const ended = await svcctl(['status', '--json'], { env: { SERVICE_API_URL: unit.address } })
    assert.equal(ended.stdout, '')
    assert.deepEqual(JSON.parse(ended.stderr), {
      title: codes.forbidden.title,
      status: 403,
      detail: 'planted forbidden',
      code: 'forbidden',
      hint: 'a hint',
      requestId: 'req-12345678',
    })
  })
})

test('every code of the table has its exit code, and hostile details do no harm', () => {
  for (const code of Object.keys(codes) as Code[]) assert.equal(exitCodeOf(new ServiceError(code)), codes[code].exit)
  const words = render(
    new ServiceError('invalid', { detail: 'a\u001b[2Jb', errors: [{ pointer: '/x', detail: '\u202e' }] }),
    new PassThrough(),
  )
  assert.equal(words, 'Error: a\\u{1b}[2Jb\n  --x: \\u{202e}\n')
})

test('an error names the flag that was typed, and the place in the JSON of --after', () => {
  const error = new ServiceError('invalid', { detail: 'wrong', errors: [{ pointer: '/after/mounts/0/target', detail: 'not absolute' }] })
  assert.equal(render(error, new PassThrough(), ['--mount', 'a:b']), 'Error: wrong\n  --mount: not absolute\n')
  assert.equal(render(error, new PassThrough(), ['--after', '{}']), 'Error: wrong\n  --after /mounts/0/target: not absolute\n')
})

test('what nobody foresaw is internal and keeps its words', () => {
  const failure = toFailure(new TypeError('planted'))
  assert.deepEqual([failure.code, failure.detail, exitCodeOf(failure)], ['internal', 'planted', 1])
})

test('a unit that is not there ends with 9 and says how to start one', async () => {
  await using unit = await startUnit()
  await unit.close()
  const ended = await svcctl(['change', 'pending', '--addr', unit.address])
  assert.equal(ended.code, 9)
  assert.match(ended.stderr, /^Error: no response from a unit at http:\/\/127\.0\.0\.1:\d+\nTry: /)
})

test('a command line that is not understood ends with 2', async () => {
  for (const args of [
    ['nonsense'],
    ['change', 'show'],
    ['status', '--nonsense'],
    ['audit', '--limit', 'x'],
    ['status', '--addr', 'nowhere'],
  ]) {
    const ended = await svcctl(args)
    assert.equal(ended.code, 2, args.join(' '))
    assert.match(ended.stderr, /Error: /)
  }
})

test('there is no flag for a token', async () => {
  assert.equal((await svcctl(['status', '--token', 'x'])).code, 2)
})

test('the token comes from the environment, its file twin or a file, the last being the strongest', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svcctl-token-'))
  const file = join(directory, 'token')
  writeFileSync(file, 'from-file\n')
  await using unit = await startUnit()
  const token = async (env: Record<string, string>, ...flags: string[]): Promise<string | undefined> => {
    const ended = await svcctl(['status', ...flags], { env: { SERVICE_API_URL: unit.address, ...env } })
    assert.equal(ended.code, 0)
    return unit.asked.at(-1)?.token
  }
  assert.equal(await token({}), undefined)
  assert.equal(await token({ SERVICE_API_TOKEN: 'from-env' }), 'Bearer from-env')
  assert.equal(await token({ SERVICE_API_TOKEN_FILE: file }), 'Bearer from-file')
  assert.equal(await token({ SERVICE_API_TOKEN: 'from-env' }, '--token-file', file), 'Bearer from-file')
  const both = await svcctl(['status'], { env: { SERVICE_API_TOKEN: 'a', SERVICE_API_TOKEN_FILE: file } })
  assert.equal(both.code, 2)
  assert.equal((await svcctl(['status', '--token-file', join(directory, 'nowhere')])).code, 2)
  await unit.close()
  rmSync(directory, { recursive: true })
})

test('a wrong token ends with 3, and a token is not sent to another machine over http', async () => {
  await using unit = await startUnit({ token: 'right' })
  const env = { SERVICE_API_URL: unit.address }
  assert.equal((await svcctl(['status'], { env: { ...env, SERVICE_API_TOKEN: 'wrong' } })).code, 3)
  assert.equal((await svcctl(['status'], { env: { ...env, SERVICE_API_TOKEN: 'right\n' } })).code, 0)
  await unit.close()
  const far = await svcctl(['status', '--addr', 'http://unit.invalid'], { env: { SERVICE_API_TOKEN: 'right' } })
  assert.equal(far.code, 2)
  assert.match(far.stderr, /so it was not sent\nTry: .*--insecure-http/)
})
