// What the runner says of a path of the host, and what it never does to find out.
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { waitFor } from '@gatehouse/kernel'
import { inspectMount } from '../../src/gateway-events.ts'
import { openUnit } from '../fixtures/unit.ts'

const folder = async (t: TestContext): Promise<string> => {
  const path = await realpath(await mkdtemp('/tmp/gh-sight-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

describe('a sighting', { timeout: 300_000 }, () => {
  it('gives the device, inode, type, owner and mode of a directory', async (t) => {
    const path = join(await folder(t), 'data')
    await mkdir(path)
    await chmod(path, 0o2750)
    const { dev, ino, uid } = await stat(path, { bigint: true })
    const { at, ...seen } = await inspectMount(path)
    assert.match(at, /^\d{4}-.*Z$/)
    assert.deepEqual(seen, {
      source: path,
      real: path,
      type: 'directory',
      device: String(dev),
      inode: String(ino),
      owner: Number(uid),
      mode: '2750',
    })
  })

  it('tells files, sockets and what is neither', async (t) => {
    const home = await folder(t)
    await writeFile(join(home, 'file'), '')
    const server = createServer()
    t.after(() => server.close())
    await new Promise<void>((resolve) => server.listen(join(home, 'socket'), resolve))
    const types = await Promise.all(
      [join(home, 'file'), join(home, 'socket'), '/dev/null'].map(async (path) => (await inspectMount(path)).type),
    )
    assert.deepEqual(types, ['file', 'socket', 'other'])
  })

  it('shows where a link leads, at the end of a path or in the middle of it', async (t) => {
    const home = await folder(t)
    await mkdir(join(home, 'real/inner'), { recursive: true })
    await symlink('real', join(home, 'link'))
    await symlink('real/inner', join(home, 'end'))
    const target = await inspectMount(join(home, 'real/inner'))
    for (const path of [join(home, 'link/inner'), join(home, 'end'), `${home}/real/../link//inner/`]) {
      const { source, real, inode } = await inspectMount(path)
      assert.deepEqual({ source, real, inode }, { source: path, real: join(home, 'real/inner'), inode: target.inode })
    }
  })

  it('says nothing but the path where there is nothing, or nothing that can be reached', async (t) => {
    const home = await folder(t)
    await symlink('nowhere', join(home, 'dangling'))
    await symlink('loop', join(home, 'loop'))
    await writeFile(join(home, 'file'), '')
    const paths = ['missing', 'dangling', 'loop', 'file/below', 'x'.repeat(300)].map((name) => join(home, name))
    for (const path of paths) {
      const { at, ...seen } = await inspectMount(path)
      assert.ok(at)
      assert.deepEqual(seen, { source: path })
    }
  })

  it('is what the gateway gets for each path that it asks about', async (t) => {
    const unit = await openUnit(t)
    const home = await folder(t)
    unit.gateway.emit('mounts-wanted', { sources: [home, `${home}/missing`] })
    await waitFor(() => unit.gateway.sightings.length === 2, { what: 'two sightings' })
    assert.deepEqual(
      unit.gateway.sightings.map(({ source, real }) => [source, real]),
      [
        [home, home],
        [`${home}/missing`, undefined],
      ],
    )
  })
})
