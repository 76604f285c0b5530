// Whoever dies while a group gets a disk that was made beforehand, moves to another or gives it back, loses nothing and gives nobody's away.
// Profile: rest. A matrix of deaths at each step; premade.test.ts shows what a disk does.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { prepareDisks, releaseDisk } from '../../src/detect-disks.ts'
import { closeDisks } from '../../src/disks/open.ts'
import { openPremade } from '../../src/preallocated/open.ts'
import type { Pool, PremadePrograms } from '../../src/preallocated/pool.ts'
import { readReference, referenceOf, renderReference, takenIn } from '../../src/preallocated/reference.ts'
import { lacking, makeDisks } from '../fixtures/premade.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
if (lacking !== '' && process.env['CI'] === 'true') throw new Error(lacking)
const quiet = { quiet: true }

type Act = (...args: readonly string[]) => Promise<void>
type Acts = Readonly<Record<string, Act>>

/** What is done of an act by a process that dies in the middle of it. */
const halves: Acts = {
  empty: async (disk = '') => writeFile(join(disk, 'left-by-a-death'), 'x'),
  copy: async (_from, to = '') => writeFile(`${to}.half`, 'x').catch(() => undefined),
  raise: async (directory = '') => {
    for (const name of (await readdir(directory)).slice(0, 1)) await rename(join(directory, name), join(directory, '..', name))
  },
}

describe('whoever dies over a disk that was made beforehand', { skip: lacking === '' ? false : lacking, timeout: 600_000 }, async () => {
  if (lacking !== '') return
  const made = await makeDisks(['16-trial', '16-01', '40-01'])
  after(made.remove)
  const found = await prepareDisks(join(made.home, 'groups'), made.disks)
  if (!('premade' in found)) throw new Error('refused' in found ? found.refused : 'expected disks that were made')
  const real: Pool = found.premade
  let count = 0

  /** Ends with the process after so many acts, in the middle of the next one. */
  const mortal = (most: number, weakened: (programs: PremadePrograms) => Partial<PremadePrograms>) => {
    const acts = { ...real.programs, ...weakened(real.programs) } as unknown as Acts
    let done = 0
    const hasDied = (): boolean => done > most
    const dying = Object.entries(acts).map(([name, act]): [string, Act] => [
      name,
      async (...args) => {
        done += 1
        if (done === most + 1) await halves[name]?.(...args)
        if (done > most) throw new Error('died')
        await act(...args)
      },
    ])
    const pool: Pool = { ...real, programs: Object.fromEntries(dying) as unknown as PremadePrograms }
    return { pool, hasDied }
  }

  interface Scene {
    readonly groups: string
    readonly pool: Pool
    /** As a start does it after a death. */
    restart(): Promise<void>
  }

  interface Scenario {
    readonly name: string
    prepare(scene: Scene): Promise<void>
    act(scene: Scene): Promise<unknown>
    /** What is wrong afterwards, if something is. */
    judge(scene: Scene): Promise<readonly string[]>
  }

  /** Called for each scene. */
  type Weakened = (scene: Scene) => (programs: PremadePrograms) => Partial<PremadePrograms>

  const open = ({ groups, pool }: Pick<Scene, 'groups' | 'pool'>, MiB = 16) => openPremade(pool, { groups, group: 'g', MiB }, quiet)

  /** On a disk that a group of another state left in the middle of its work. */
  const leaveSomething = async (name: string): Promise<void> => {
    await mkdir(`${made.disks}/${name}/workspace/deep`, { recursive: true })
    for (const path of ['workspace/deep/secret', 'secret']) await writeFile(`${made.disks}/${name}/${path}`, 'of another')
  }

  const contents = async ({ groups }: Scene): Promise<string[]> => {
    const kept = await readFile(`${groups}/g/workspace/kept`, 'utf8').catch(() => 'nothing')
    const names = (await readdir(`${groups}/g`, { recursive: true })).filter((name) => !['.disk', 'lost+found'].includes(name)).toSorted()
    const beside = (await readdir(`${groups}/.disks`)).filter((name) => !name.startsWith('g.disk.aside-'))
    return [
      ...(kept === 'kept' ? [] : ['its files are lost']),
      ...(names.join(' ') === 'workspace workspace/kept' ? [] : [`it has ${names.join(' ')}`]),
      ...(beside.join(' ') === 'g.disk' ? [] : [`beside it is ${beside.join(' ')}`]),
    ]
  }

  const keep = async ({ groups }: Pick<Scene, 'groups'>): Promise<void> => {
    await mkdir(`${groups}/g/workspace`, { recursive: true })
    await writeFile(`${groups}/g/workspace/kept`, 'kept')
  }

  const given: Scenario = {
    name: 'a group is given one',
    async prepare(scene) {
      await leaveSomething('16-01')
      await keep(scene)
    },
    act: open,
    async judge(scene) {
      await open(scene)
      return contents(scene)
    },
  }
  const moved: Scenario = {
    name: 'a group moves to another',
    async prepare(scene) {
      await leaveSomething('40-01')
      await open({ ...scene, pool: real })
      await keep(scene)
    },
    act: (scene) => open(scene, 40),
    async judge(scene) {
      const { postponed } = await open(scene, 40)
      const { name } = (await readReference(referenceOf(scene.groups, 'g'))) ?? {}
      const left = (await readdir(`${made.disks}/16-01`)).join(' ')
      return [
        ...(await contents(scene)),
        ...(postponed === undefined ? [] : [postponed]),
        ...(name === '40-01' ? [] : [`it has ${name}`]),
        ...(left === 'lost+found' ? [] : [`it left ${left}`]),
      ]
    },
  }
  /** As a sweep does it with a group that nobody opens any more. */
  const thenGone = (scenario: Scenario): Scenario => ({
    ...scenario,
    name: `${scenario.name}, and is removed`,
    async prepare(scene) {
      for (const name of ['16-01', '40-01']) await real.programs.empty(`${made.disks}/${name}`)
      await scenario.prepare(scene)
    },
    async judge({ groups }) {
      const place = `${groups}/.removed/g.1`
      await mkdir(`${groups}/.removed`)
      await rename(`${groups}/.disks`, place).catch(() => mkdir(place))
      for (const name of await readdir(place)) if (name.endsWith('.disk')) await releaseDisk(real, `${place}/${name}`)
      const left = await Promise.all(['16-01', '40-01'].map((name) => readdir(`${made.disks}/${name}`, { recursive: true })))
      const found = left.flat().filter((name) => /kept|half|\.disk|\.fill/.test(name))
      return [...found, ...(await readdir(place)).filter((name) => name.endsWith('.disk'))].map((name) => `${name} is left`)
    },
  })
  const gone: Scenario = {
    name: 'a group that is gone gives its back',
    async prepare(scene) {
      await open({ ...scene, pool: real })
      await keep(scene)
      await scene.restart()
      await mkdir(`${scene.groups}/.removed/g.1`, { recursive: true })
      await rename(referenceOf(scene.groups, 'g'), `${scene.groups}/.removed/g.1/g.disk`)
    },
    act: ({ groups, pool }) => releaseDisk(pool, `${groups}/.removed/g.1/g.disk`),
    async judge(scene) {
      const isFree = !(await takenIn(scene.groups)).has('16-01')
      const faults = isFree && (await readdir(`${made.disks}/16-01`)).length > 1 ? ['it is free with files of the group on it'] : []
      await this.act({ ...scene, pool: real })
      return [...faults, ...((await readdir(`${made.disks}/16-01`)).join(' ') === 'lost+found' ? [] : ['files are left on it'])]
    },
  }

  /** One death after each number of acts until nobody dies; what was found wrong, by that number. */
  const survey = async (
    { prepare, act, judge, ...rest }: Scenario,
    { first = 0, weakened = () => () => ({}) }: { readonly first?: number; readonly weakened?: Weakened } = {},
  ) => {
    const faults: string[] = []
    for (let most = first; ; most += 1) {
      const groups = join(made.home, `groups-${(count += 1)}`)
      await mkdir(groups, { mode: 0o700 })
      const restart = async (): Promise<void> => void (await closeDisks(real.programs, groups))
      const scene: Scene = { groups, restart, pool: real }
      await prepare(scene)
      const { pool, hasDied } = mortal(most, weakened(scene))
      await act({ ...scene, pool }).catch(() => undefined)
      await restart()
      const wrong = await judge.call({ prepare, act, judge, ...rest }, scene).catch((error: unknown) => [String(error)])
      faults.push(...wrong.map((fault) => `after ${most} acts: ${fault}`))
      await restart()
      if (!hasDied() || (first > 0 && faults.length > 0)) return { faults, acts: most }
    }
  }

  for (const scenario of full ? [given, moved, gone, thenGone(given), thenGone(moved)] : [given, thenGone(given)]) {
    it(`leaves all whole while ${scenario.name}`, async () => {
      const { faults, acts } = await survey(scenario)
      assert.deepEqual(faults, [])
      assert.ok(acts >= (scenario === gone ? 2 : 9), `only ${acts} acts`)
    })
  }

  it('would lose files if the disk were named before they are on it', async () => {
    const weakened: Weakened =
      ({ groups }) =>
      (programs) => ({
        empty: async (disk) => {
          const mark = randomBytes(16).toString('hex')
          await programs.empty(disk)
          await programs.write(`${disk}/.disk`, mark)
          await programs.write(referenceOf(groups, 'g'), renderReference({ name: '16-01', mark }))
        },
      })
    const { faults } = await survey(given, { first: 3, weakened })
    assert.match(faults.join('; '), /its files are lost/)
  })

  it('would show files of another group if the disk were not emptied', async () => {
    const empty = (disk: string): Promise<void> => rm(`${disk}/workspace`, { recursive: true, force: true })
    const { faults } = await survey(given, { first: 7, weakened: () => () => ({ empty }) })
    assert.match(faults.join('; '), /secret/)
  })
})
