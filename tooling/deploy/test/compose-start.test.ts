// What compose/start asks of cosign, and does to directories that were there before it. Its two programs are stand-ins that agree.
import assert from 'node:assert/strict'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { execa } from 'execa'

const image = `registry.example/gatehouse@sha256:${'1'.repeat(64)}`

const lay = async (t: TestContext) => {
  const room = await mkdtemp(join(tmpdir(), 'gatehouse-start-'))
  t.after(() => rm(room, { recursive: true, force: true }))
  const [directory, programs, data, asked] = ['compose', 'bin', 'data', 'asked'].map((name) => join(room, name)) as [
    string,
    string,
    string,
    string,
  ]
  await cp(join(import.meta.dirname, '../../../compose'), directory, { recursive: true })
  await mkdir(programs)
  await writeFile(join(programs, 'docker'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  await writeFile(join(programs, 'cosign'), `#!/bin/sh\necho "$*" >>'${asked}'\n`, { mode: 0o755 })
  await mkdir(data)
  await writeFile(join(directory, 'cosign.pub'), '')
  const start = async (given: Readonly<Record<string, string>>, ...words: readonly string[]) => {
    const settings = {
      GATEHOUSE_IMAGE: image,
      CADDY_IMAGE: `registry.example/caddy@sha256:${'1'.repeat(64)}`,
      GATEHOUSE_HOST: 'localhost',
      GATEHOUSE_TLS: 'internal',
      GATEHOUSE_DATA: data,
      ...given,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
    await writeFile(join(directory, '.env'), lines.join(''), { mode: 0o600 })
    await writeFile(asked, '')
    const { all, exitCode } = await execa(join(directory, 'start'), words, {
      env: { PATH: `${programs}:/usr/bin:/bin` },
      extendEnv: false,
      reject: false,
      all: true,
      timeout: 30_000,
    })
    return { all, exitCode, asked: (await readFile(asked, 'utf8')).trim() }
  }
  return { data, start }
}

const key = { GATEHOUSE_IMAGE_KEY: 'cosign.pub' }
const identity = {
  GATEHOUSE_IMAGE_IDENTITY: 'https://github.com/somebody/gatehouse/.github/workflows/release.yml@refs/tags/v1.0.0',
  GATEHOUSE_IMAGE_ISSUER: 'https://token.actions.githubusercontent.com',
}

test('the signature is asked for in the log unless somebody says that there is none', async (t) => {
  const { start } = await lay(t)
  for (const log of [{}, { GATEHOUSE_IMAGE_LOG: 'rekor' }])
    assert.equal((await start({ ...key, ...log }, '--check')).asked, `verify --key cosign.pub -- ${image}`)
  const none = await start({ ...key, GATEHOUSE_IMAGE_LOG: 'none' }, '--check')
  assert.equal(none.asked, `verify --key cosign.pub --private-infrastructure=true -- ${image}`)
})

test('whoever signed is known by a key, or by an identity that somebody vouches for, and that one in the log', async (t) => {
  const { start } = await lay(t)
  const { asked, exitCode } = await start(identity, '--check')
  const { GATEHOUSE_IMAGE_IDENTITY: who, GATEHOUSE_IMAGE_ISSUER: issuer } = identity
  assert.equal(asked, `verify --certificate-identity ${who} --certificate-oidc-issuer ${issuer} -- ${image}`)
  assert.equal(exitCode, 0)
  const refused = [
    {},
    { ...key, ...identity },
    { ...key, GATEHOUSE_IMAGE_ISSUER: issuer },
    { GATEHOUSE_IMAGE_IDENTITY: who },
    { GATEHOUSE_IMAGE_ISSUER: issuer },
    { ...identity, GATEHOUSE_IMAGE_LOG: 'none' },
    { ...identity, GATEHOUSE_IMAGE_ISSUER: 'http://token.example' },
    { ...identity, GATEHOUSE_IMAGE_IDENTITY: '.* --key' },
  ]
  for (const given of refused) {
    const said = await start(given, '--check')
    assert.deepEqual([said.exitCode, said.asked], [1, ''], JSON.stringify(given))
    assert.match(said.all, /^start: expected GATEHOUSE_IMAGE_/)
  }
})

test('the mode of a directory that is there already is left alone', async (t) => {
  const { data, start } = await lay(t)
  await chmod(data, 0o750)
  // Only root may give directories away; whoever else runs it is told what to type, and the mode holds for both.
  assert.match((await start(key)).all, /Gatehouse is at https:\/\/localhost|cannot make .*state for uid 65532/)
  assert.equal(((await stat(data)).mode & 0o7777).toString(8), '750')
})
