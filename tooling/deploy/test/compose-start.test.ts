// What deploy/compose/start does to directories that were there before it: nothing. Its two programs are stand-ins that agree.
import assert from 'node:assert/strict'
import { chmod, cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { execa } from 'execa'

const digest = `sha256:${'1'.repeat(64)}`

test('the mode of a directory that is there already is left alone', async (t) => {
  const room = await mkdtemp(join(tmpdir(), 'gatehouse-start-'))
  t.after(() => rm(room, { recursive: true, force: true }))
  const [directory, programs, data] = [join(room, 'compose'), join(room, 'bin'), join(room, 'data')]
  await cp(join(import.meta.dirname, '../../../deploy/compose'), directory, { recursive: true })
  await mkdir(programs)
  for (const name of ['cosign', 'docker']) await writeFile(join(programs, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  await mkdir(data)
  await chmod(data, 0o750)
  await writeFile(join(directory, 'cosign.pub'), '')
  const settings = {
    GATEHOUSE_IMAGE: `registry.example/gatehouse@${digest}`,
    GATEHOUSE_IMAGE_KEY: 'cosign.pub',
    CADDY_IMAGE: `registry.example/caddy@${digest}`,
    GATEHOUSE_HOST: 'localhost',
    GATEHOUSE_TLS: 'internal',
    GATEHOUSE_DATA: data,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  await writeFile(join(directory, '.env'), lines.join(''), { mode: 0o600 })
  // Only root may give directories away; whoever else runs it is told what to type, and the mode holds for both.
  const { all } = await execa(join(directory, 'start'), {
    env: { PATH: `${programs}:/usr/bin:/bin` },
    extendEnv: false,
    reject: false,
    all: true,
    timeout: 30_000,
  })
  assert.match(all, /Gatehouse is at https:\/\/localhost|cannot make .*state for uid 65532/)
  assert.equal(((await stat(data)).mode & 0o7777).toString(8), '750')
})
