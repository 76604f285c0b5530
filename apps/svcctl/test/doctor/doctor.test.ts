// svcctl doctor: it names what is broken, its fix mends it when typed, and it alters nothing.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, suite, test, type TestContext } from 'node:test'
import { createCheckContext, type Finding, runChecks } from '../../src/doctor/check.ts'
import { checks } from '../../src/doctor/checks.ts'
import { visible } from '../../src/output/values.ts'
import { status } from '../contents.ts'
import { startUnit } from '../fake-unit.ts'
import { keepState } from '../kept-state.ts'
import { program, svcctl, svcctlAtTerminal } from '../svcctl.ts'
import { broken, type Broken, type Place, secret, sound, writeState } from './broken.ts'

let journal: string

before(async () => {
  journal = mkdtempSync(join(tmpdir(), 'svcctl-doctor-journal-'))
  await keepState(journal, ['start'])
})
after(() => rmSync(journal, { recursive: true }))

/** A host and a unit with which nothing is wrong. */
const makePlace = async (t: TestContext, mends?: string): Promise<Place> => {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-doctor-'))
  const stateDir = join(folder, 'state of it')
  writeState(stateDir)
  for (const name of readdirSync(journal)) copyFileSync(join(journal, name), join(stateDir, name))
  const answers = sound()
  const hear = ({ method, path }: { method: string; path: string }): void => {
    if (mends === `${method} ${path.split('?')[0]}`)
      Object.assign(answers, sound(), { 'GET /v1/sessions': { items: [] }, 'GET /v1/grants': { items: [] } })
    if (mends === `${method} ${path.split('?')[0]}`)
      Object.assign(answers, { 'GET /v1/tokens': { items: [] }, 'GET /v1/registry/mcp-servers': { items: [] } })
  }
  const unit = await startUnit({ token: secret, answers, hear })
  t.after(async () => {
    await unit.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const environment = { PATH: process.env['PATH'], HOME: folder, SERVICE_API_URL: unit.address, SERVICE_API_TOKEN: secret }
  return { folder, stateDir, environment, answers }
}

const look = async (place: Place, check: string): Promise<Finding[]> =>
  runChecks(
    await createCheckContext({
      environment: place.environment,
      address: place.environment['SERVICE_API_URL'] ?? 'http://127.0.0.1:8787',
      addressGiven: true,
      tokenFile: undefined,
      insecure: false,
      stateDir: place.stateDir,
    }),
    checks.filter(({ name }) => name === check),
  )

const wrong = (findings: readonly Finding[], check: string): Finding[] =>
  findings.filter((finding) => finding.check === check && (finding.status === 'warn' || finding.status === 'fail'))

/** Types the line into a shell, and gives the environment that it left. */
const type = async (line: string, place: Place): Promise<Record<string, string>> => {
  const script = `svcctl() { '${process.execPath}' '${program}' "$@"; }\n{ ${line}\n} >&2 || exit 9\nenv -0`
  const child = spawn('bash', ['-c', script], { env: place.environment, cwd: place.folder })
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  assert.equal(await code, 0, `${line}: ${err}`)
  const pairs = out.split('\0').map((pair): [string, string] => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
  return Object.fromEntries(pairs.filter(([name]) => name !== ''))
}

suite('a broken set-up', () => {
  test('is one of at least 25', () => assert.ok(Object.keys(broken).length >= 25))

  for (const [name, { check, breakIt, mends }] of Object.entries<Broken>(broken)) {
    test(`with ${name} is named, and mended by the line that is printed`, async (t) => {
      const place = await makePlace(t, mends)
      assert.deepEqual(wrong(await look(place, check), check), [], 'the check has nothing to say before')
      breakIt(place)
      const [found] = wrong(await look(place, check), check)
      assert.ok(found?.fix !== undefined, `${check} names it with a fix`)
      assert.equal(visible(found.fix), found.fix, 'what is printed is what is meant')
      const environment = await type(found.fix, place)
      assert.deepEqual(wrong(await look({ ...place, environment }, check), check), [], found.fix)
    })
  }
})

test('a fix that is typed as it stands on the screen mends what was named there', async (t) => {
  const place = await makePlace(t)
  const { breakIt, check } = broken['an admin token open to a group']!
  breakIt(place)
  const { SERVICE_API_URL = '' } = place.environment
  const env = { SERVICE_API_URL, SERVICE_API_TOKEN: secret, HOME: place.folder, NO_COLOR: '1' }
  const { stdout, code } = await svcctlAtTerminal(['doctor', '--state-dir', place.stateDir], { env })
  assert.equal(code, 1, stdout)
  const fix = /^✗ state-files +.*\n +fix: (.*)$/m.exec(stdout)?.[1]
  assert.ok(fix !== undefined, stdout)
  await type(fix, place)
  assert.deepEqual(wrong(await look(place, check), check), [])
})

/** Everything about every file below, but when it was read. */
const fingerprint = (folder: string): string => {
  const lines = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const path = join(folder, name)
      const { mode, uid, gid, size, mtimeMs, ctimeMs } = statSync(path)
      const contents = statSync(path).isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''
      return [name, mode, uid, gid, size, mtimeMs, ctimeMs, contents].join(' ')
    })
  return lines.join('\n')
}

test('doctor alters no byte of the state, with the unit up and down, and ends with 1 if a check fails', async (t) => {
  const place = await makePlace(t)
  const { SERVICE_API_URL = '' } = place.environment
  const before = fingerprint(place.stateDir)
  const env = { SERVICE_API_TOKEN: secret, DOCKER_HOST: 'tcp://127.0.0.1:9' }
  const run = (address: string) => svcctl(['doctor', '--state-dir', place.stateDir, '--addr', address, '--json'], { env })
  const up = await run(SERVICE_API_URL)
  const down = await run('http://127.0.0.1:9')
  assert.equal(fingerprint(place.stateDir), before)
  const findings = JSON.parse(up.stdout) as Finding[]
  assert.deepEqual(
    findings.filter(({ status }) => status === 'fail').map(({ check }) => check),
    [],
  )
  assert.equal(up.code, 0)
  assert.equal(down.code, 1)
  assert.ok((JSON.parse(down.stdout) as Finding[]).some(({ check, status }) => check === 'reachability' && status === 'fail'))
  for (const { stdout, stderr } of [up, down]) assert.ok(!(stdout + stderr).includes(secret))
  assert.ok(!existsSync(`${place.stateDir}/gateway.db-wal`))
  const engines = findings.filter(({ check }) => check === 'engines').map(({ detail, fix }) => [detail, fix])
  const silent = ['docker is installed, and has no responding daemon at tcp://127.0.0.1:9', 'systemctl start docker']
  if (/\bdocker \d/.test(engines[0]?.[0] ?? '')) assert.deepEqual(engines[1], silent)
})

test('an image of sandboxes whose signature nobody verifies is a warning, and none once a key is named', async (t) => {
  const place = await makePlace(t)
  place.environment['SERVICE_SANDBOX_IMAGE'] = `registry.example/sandbox@sha256:${'0'.repeat(64)}`
  const [found] = wrong(await look(place, 'settings'), 'settings')
  assert.equal(found?.status, 'warn')
  assert.match(found?.advice ?? '', /SERVICE_IMAGE_KEY/)
  place.environment['SERVICE_IMAGE_KEY'] = '/etc/gatehouse/cosign.pub'
  assert.deepEqual(wrong(await look(place, 'settings'), 'settings'), [])
})

test('a provider of models that is away, or that refuses the key, is named with what to do', async (t) => {
  const place = await makePlace(t)
  const route = 'POST /v1/models/anthropic/check'
  const answered = { provider: 'anthropic', elapsedMs: 3, detail: 'as it is' }
  const cases = [
    [{ reachable: true, keyAccepted: true }, 'pass', undefined],
    [{ reachable: true, status: 500 }, 'pass', undefined],
    [{ reachable: false }, 'warn', /svcctl model check anthropic/],
    [{ reachable: true, keyAccepted: false, status: 401 }, 'fail', /a key that anthropic takes/],
  ] as const
  for (const [answer, status, advice] of cases) {
    place.answers[route] = { ...answered, ...answer }
    const [found, ...more] = await look(place, 'models')
    assert.deepEqual([found?.status, more], [status, []])
    if (advice !== undefined) assert.match(found?.advice ?? '', advice)
  }
  place.answers['GET /v1/models'] = { items: [], spending: [] }
  assert.equal((await look(place, 'models'))[0]?.status, 'pass')
})

test('a channel that is away, whose credentials are refused, or that has dead letters, is named with what to do', async (t) => {
  const place = await makePlace(t)
  const channel = { name: 'slack', state: 'up', since: '2026-01-02T03:04:05.000Z', waiting: 0, dead: 0 }
  const cases = [
    [{}, true, ['pass']],
    [{}, false, ['fail']],
    [{ state: 'down', reason: 'away' }, true, ['warn']],
    [{ state: 'refused', reason: 'no' }, true, ['fail']],
    [{ dead: 2 }, true, ['pass', 'warn']],
  ] as const
  for (const [more, accepted, expected] of cases) {
    place.answers['GET /v1/channels'] = { items: [{ ...channel, ...more }], letters: [] }
    place.answers['POST /v1/channels/slack/check'] = { name: 'slack', accepted, detail: 'as it is', elapsedMs: 3 }
    const found = await look(place, 'channels')
    assert.deepEqual(
      found.map(({ status }) => status),
      expected,
    )
  }
  place.answers['GET /v1/channels'] = { items: [], letters: [] }
  const [mute, ...others] = await look(place, 'channels')
  assert.deepEqual([mute?.status, others], ['warn', []])
  assert.match(mute?.detail ?? '', /slack is wired/)
})

test('a check that breaks is a finding like any other', async (t) => {
  const place = await makePlace(t)
  place.answers['GET /v1/sessions'] = { items: 'nonsense' }
  const findings = await look(place, 'sessions')
  assert.match(wrong(findings, 'sessions')[0]?.detail ?? '', /^it broke: /)
  const { stdout } = await svcctl(['doctor', '--state-dir', place.stateDir, '--addr', place.environment['SERVICE_API_URL'] ?? ''], {
    env: { SERVICE_API_TOKEN: secret },
  })
  assert.match(stdout, /^sessions\tfail\tit broke/m)
})

test('every check passes, warns or fails, each with something to do, with the unit up and down', async (t) => {
  const place = await makePlace(t)
  for (const address of [place.environment['SERVICE_API_URL'] ?? '', 'http://127.0.0.1:9']) {
    const { stdout } = await svcctl(['doctor', '--json', '--addr', address], { env: { SERVICE_API_TOKEN: secret } })
    const findings = JSON.parse(stdout) as Finding[]
    for (const { check, status, fix, advice, detail } of findings) {
      assert.ok(['pass', 'warn', 'fail'].includes(status), check)
      assert.ok(status === 'pass' || (fix ?? advice) !== undefined, `${check}: ${detail}`)
    }
    assert.deepEqual(
      checks.map(({ name }) => name).filter((name) => !findings.some(({ check }) => check === name)),
      [],
    )
  }
})

test('a seal that is still being proved is a warning, one that does not hold is a failure', async (t) => {
  const place = await makePlace(t)
  const sandbox = { driver: 'oci', status: 'refused', reason: 'the seal is being proved', missing: [] }
  place.answers['GET /v1/status'] = { ...status, sandbox: { ...sandbox, seal: 'proving' } }
  const [pending] = await look(place, 'sandbox')
  assert.deepEqual([pending?.status, pending?.detail], ['warn', 'pending: the seal is being proved'])
  place.answers['GET /v1/status'] = { ...status, sandbox: { ...sandbox, reason: 'the seal does not hold', seal: 'lacking' } }
  assert.equal((await look(place, 'sandbox'))[0]?.status, 'fail')
})

test('a unit that launches nothing needs no engine and no user namespace', async (t) => {
  const place = await makePlace(t)
  place.answers['GET /v1/status'] = { ...status, sandbox: { driver: 'off', status: 'off', missing: [] } }
  for (const check of ['engines', 'kernel', 'sandbox']) assert.deepEqual(wrong(await look(place, check), check), [])
})
