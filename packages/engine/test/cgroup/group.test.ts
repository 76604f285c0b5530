// The files of a control group, in a directory that simulates a hierarchy, because not every host has both versions.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { groupPath, openGroup } from '../../src/cgroup/group.ts'

const made = async (t: TestContext, { version, beside }: { version: 1 | 2; beside: boolean }) => {
  const base = await mkdtemp(join(tmpdir(), 'cgroup-'))
  t.after(() => rm(base, { recursive: true, force: true }))
  const place = { version, base }
  const path = groupPath('here', 'ses_a')
  const group = openGroup({ memory: place, pids: place, cpu: place, bases: [base], beside, delegated: false }, path)
  await group.create({ memoryMiB: 64, cpus: 1, pids: 16 })
  const read = (name: string): Promise<string | undefined> => readFile(join(base, name), 'utf8').catch(() => undefined)
  return {
    group,
    directory: join(base, path),
    own: (name: string) => read(join(path, name)),
    all: (name: string) => read(join('gatehouse', name)),
  }
}

describe('a control group', () => {
  it('has a lower weight than the slices of services, together with all sandboxes', async (t) => {
    const one = await made(t, { version: 1, beside: false })
    assert.deepEqual([await one.own('cpu.shares'), await one.all('cpu.shares')], ['335', '512'])
    const two = await made(t, { version: 2, beside: false })
    assert.deepEqual([await two.own('cpu.weight.nice'), await two.all('cpu.weight')], ['5', '50'])
  })

  it('has no lower weight where all sandboxes together already count as one process of the unit', async (t) => {
    const one = await made(t, { version: 1, beside: true })
    assert.deepEqual([await one.own('cpu.shares'), await one.all('cpu.shares')], ['335', undefined])
    const two = await made(t, { version: 2, beside: true })
    assert.equal(await two.all('cpu.weight'), undefined)
  })

  it('is visible where another engine created a private parent directory', async (t) => {
    const [base, other] = [await mkdtemp(join(tmpdir(), 'cgroup-')), await mkdtemp(join(tmpdir(), 'cgroup-'))]
    t.after(() => Promise.all([base, other].map((directory) => rm(directory, { recursive: true, force: true }))))
    const above = [join(other, 'gatehouse'), join(other, 'gatehouse/here')]
    for (const directory of above) await mkdir(directory, { mode: 0o700 })
    const place = { version: 1, base } as const
    const hierarchy = { memory: place, pids: place, cpu: place, bases: [base, other], beside: false, delegated: false }
    await openGroup(hierarchy, groupPath('here', 'ses_a')).create({ memoryMiB: 64, cpus: 1, pids: 16 })
    for (const directory of above) assert.equal((await stat(directory)).mode & 0o777, 0o755)
  })

  it('never signals pid 0, which the kernel writes for processes of other namespaces', async (t) => {
    const { group, directory } = await made(t, { version: 2, beside: false })
    await writeFile(join(directory, 'cgroup.procs'), '0\n4194305\n0\n1\n')
    const kill = t.mock.method(process, 'kill', () => true)
    await group.kill()
    assert.deepEqual(
      kill.mock.calls.map(({ arguments: [pid, signal] }) => [pid, signal]),
      [[4_194_305, 'SIGKILL']],
    )
  })

  it('counts as full when it ran out of memory, but not when only the page cache filled it', async (t) => {
    const { group, directory } = await made(t, { version: 1, beside: false })
    const isFull = async (most: number, left: number): Promise<boolean> => {
      for (const [name, MiB] of Object.entries({ max_usage: most, limit: 128, usage: left }))
        await writeFile(join(directory, `memory.${name}_in_bytes`), String(MiB * 1024 * 1024))
      return (await group.usage()).memoryFull
    }
    // What was seen of runc and runsc: killed for memory, and by somebody else beside 120 MiB and beside 40 MiB of files.
    assert.deepEqual([await isFull(128, 0.1), await isFull(127, 1)], [true, true])
    assert.deepEqual([await isFull(128, 117), await isFull(128, 41), await isFull(100, 0)], [false, false, false])
  })
})
