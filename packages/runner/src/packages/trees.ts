// The trees of packages on disk, each named by the digest of its lock, read-only, complete or not there at all.
import { mkdir, mkdtemp, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentGroup, Digest, limits, ServiceError, stateFiles } from '@gatehouse/contracts'
import { adoptTree, lockDigest, removeTree } from '@gatehouse/npm-tree'
import * as v from 'valibot'
import { LaunchRefused } from '../errors.ts'
import { copyPlain } from '../safe-fs.ts'
import type { TreePlace } from './room.ts'
import { inSealed } from './sealed.ts'

type Installed = NonNullable<AgentGroup['packages']>

/** What would be the same the next time. */
const lasting: readonly string[] = ['wrong-integrity', 'not-from-registry', 'bad-archive', 'too-large', 'bad-name', 'not-found', 'conflict']

const directoryOf = ({ stateDir }: Pick<TreePlace, 'stateDir'>): string => `${stateDir}/${stateFiles.packages}`

const isThere = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() ?? false

/** What the sealed process wrote is copied by our own hand, so that no link and no owner of its making stays. */
const storeTree = async (place: TreePlace, { work, tree }: { work: string; tree: Digest }): Promise<void> => {
  const fresh = await mkdtemp(join(directoryOf(place), '.fresh-'))
  const to = join(fresh, 'tree')
  try {
    await mkdir(to)
    await copyPlain(work, [tree], { to, allowance: { files: 4 * limits.treeFiles, bytes: limits.treeBytes } })
    await adoptTree(to, join(directoryOf(place), tree))
  } finally {
    await removeTree(fresh)
  }
}

const fetchInto = async (place: TreePlace, { tree, changeID }: Installed): Promise<void> => {
  const approved = await place.gateway.tree({ changeID })
  if (approved.tree !== tree || lockDigest(approved.lock) !== tree) {
    throw new LaunchRefused(`expected the lock of the tree ${tree}, got another: ask for the packages again`)
  }
  await inSealed(
    place,
    (registry) => ({ act: 'fetch', registry, lock: approved.lock }),
    async (outcome, work) => {
      if (outcome.end === 'fetched') return storeTree(place, { work, tree })
      const reason = `its packages cannot be had: ${outcome.end === 'refused' ? outcome.reason : 'an answer to another question'}`
      if (outcome.end === 'refused' && lasting.includes(outcome.rule)) throw new LaunchRefused(reason)
      throw new ServiceError('unavailable', { detail: reason })
    },
  )
  place.log.info('packages fetched', { tree, changeID })
}

export class Trees {
  readonly #place: TreePlace
  readonly #fetching = new Map<Digest, Promise<void>>()
  /** By sandbox. */
  readonly #used = new Map<string, Digest>()

  constructor(place: TreePlace) {
    this.#place = place
  }

  /** Where the tree of a group lies, fetched if it is not there. `LaunchRefused` where it cannot be had as it was approved. */
  async have(installed: Installed): Promise<string> {
    const path = join(directoryOf(this.#place), installed.tree)
    if (await isThere(path)) return path
    const fetching = this.#fetching.get(installed.tree) ?? fetchInto(this.#place, installed)
    this.#fetching.set(installed.tree, fetching)
    try {
      await fetching
    } finally {
      if (this.#fetching.get(installed.tree) === fetching) this.#fetching.delete(installed.tree)
    }
    return path
  }

  use(run: string, tree: Digest): void {
    this.#used.set(run, tree)
  }

  release(run: string): void {
    this.#used.delete(run)
  }

  /** Removes what no group has and no sandbox sees. Returns how many. */
  async sweep(): Promise<number> {
    const place = this.#place
    const names = await readdir(directoryOf(place))
    const wanted = new Set<string>(await place.gateway.trees({}))
    const busy = new Set<string>([...this.#used.values(), ...this.#fetching.keys()])
    const unused = names.filter((name) => v.is(Digest, name) && !wanted.has(name) && !busy.has(name))
    for (const name of unused) await removeTree(join(directoryOf(place), name))
    if (unused.length > 0) place.log.info('packages that no group has removed', { trees: unused.length })
    return unused.length
  }
}

/** What an earlier runner was in the middle of. Before anything is fetched. */
export const clearUnfinished = async (stateDir: string): Promise<void> => {
  const directory = directoryOf({ stateDir })
  for (const name of await readdir(directory)) if (name.startsWith('.')) await removeTree(join(directory, name))
}
