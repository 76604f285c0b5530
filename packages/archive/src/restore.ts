// Restores an archive into an empty state directory: looks at all of it, writes aside, then renames.
import { randomBytes } from 'node:crypto'
import { access, constants, lchown, mkdir, open, readdir, rename, rm, rmdir, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { exits, hostActsFile, sandboxUid, stateFiles } from '@gatehouse/contracts'
import { addHostAct, ifPresent, lostAndFound, makeDirectory, Refusal, syncPath, wallMs, wallTime } from '@gatehouse/kernel'
import { decrypt, type Opener } from './age.ts'
import { broken, type Entry, type LinkEntry } from './entry.ts'
import { type Checked, checkArchive } from './check.ts'
import {
  finishDirectories,
  giveBackHint,
  type Owner,
  ownerToReturn,
  refuseTaken,
  type Target,
  whileRoots,
  workingNameFor,
  writeEntry,
} from './in-place.ts'
import { stateRoot } from './manifest.ts'
import { unpack } from './unpack.ts'

export interface RestoreOptions {
  /** The archive: a plain file, since it is read twice. */
  readonly file: string
  readonly opener: Opener
  readonly stateDir: string
  readonly masterKeyFile: string | null
}

const some = (names: readonly string[]): string => `${names.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''}`

const besides = async (stateDir: string): Promise<string[]> => (await readdir(stateDir)).filter((name) => name !== lostAndFound)

const refuseFull = async (stateDir: string): Promise<void> => {
  const there = await ifPresent(stat(stateDir))
  if (there === undefined) return
  const names = there.isDirectory() ? await besides(stateDir) : [basename(stateDir)]
  if (names.length === 0) return refuseTaken(stateDir, there)
  throw new Refusal(exits.configuration, {
    detail: `expected an empty or absent directory at ${stateDir}, got one with ${some(names)}`,
    hint: giveBackHint(stateDir, there, names) ?? `nothing was written; stop the unit, move ${stateDir} away, or give another --state-dir`,
  })
}

/** From when the directory is root's alone nobody puts anything into it: what came before is seen here. */
const refuseFilled = async (stateDir: string): Promise<void> => {
  const names = await besides(stateDir)
  if (names.length === 0) return
  throw new Refusal(exits.configuration, {
    detail: `expected ${stateDir} to stay empty while the archive was looked at, got ${some(names)}`,
    hint: 'nothing was written; stop whatever writes there, empty it, and restore again',
  })
}

interface Place {
  /** Where everything is written first. */
  readonly aside: string
  readonly inside: boolean
  /** Of whom the state directory is, where it is there. */
  readonly owner: Owner | undefined
}

/** Beside the state directory, or inside where that is a volume or its parent belongs to somebody else. */
const placeAside = async (stateDir: string): Promise<Place> => {
  const there = await ifPresent(stat(stateDir))
  const parent = dirname(stateDir)
  const beside = join(parent, workingNameFor(undefined))
  if (there === undefined) {
    await makeDirectory(parent, 0o755)
    return { aside: beside, inside: false, owner: undefined }
  }
  const owner = { uid: there.uid, gid: there.gid }
  const isEmpty = (await readdir(stateDir)).length === 0
  const canRename = await access(parent, constants.W_OK).then(
    async () => (await stat(parent)).dev === there.dev,
    () => false,
  )
  if (canRename && isEmpty) return { aside: beside, inside: false, owner }
  return { aside: join(stateDir, workingNameFor(ownerToReturn(there))), inside: true, owner }
}

const refuseWithoutRoom = async (directory: string, bytes: number): Promise<void> => {
  const { bavail, bsize } = await statfs(directory)
  if (bavail * bsize > bytes * 1.05) return
  throw new Refusal(exits.configuration, {
    detail: `expected ${bytes} bytes of free disk at ${directory}, got ${bavail * bsize}`,
    hint: 'nothing was written; make room, or give another --state-dir',
  })
}

/** All that is not an agent's: of whom the state directory is already, where it was given to somebody. */
const unitOf = ({ manifest }: Checked, { owner }: Place): Owner => {
  if (owner !== undefined && owner.uid !== 0) return owner
  return manifest.unit ?? (manifest.owners ? { uid: 0, gid: 0 } : { uid: sandboxUid, gid: sandboxUid })
}

/** Files of agents keep their owners where those mean something. What is root's is the unit's own: it was root, be it only in a user namespace. */
const ownersOf = (checked: Checked, place: Place): Target['ownerOf'] => {
  if (process.getuid?.() !== 0) return undefined
  const unit = unitOf(checked, place)
  const isAgents = ({ path }: Entry): boolean => checked.manifest.owners && /^state\/groups\/[^/]+\/./s.test(path)
  return (entry) => (isAgents(entry) ? { uid: entry.uid || unit.uid, gid: entry.gid || unit.gid } : unit)
}

const writeAside = async (options: RestoreOptions, checked: Checked, place: Place): Promise<void> => {
  const { aside } = place
  const target: Target = { directory: aside, ownerOf: ownersOf(checked, place) }
  const directories: Entry[] = []
  const links: LinkEntry[] = []
  const visit = async (entry: Entry): Promise<void> => {
    if (entry.type === 'link') links.push(entry)
    else await writeEntry(target, entry)
    if (entry.type === 'directory') directories.push(entry)
  }
  const begin = async ({ installation, createdAt }: Checked['manifest']): Promise<void> => {
    if (installation !== checked.manifest.installation || createdAt !== checked.manifest.createdAt)
      throw broken('it changed while it was read')
  }
  await using file = await open(options.file, 'r')
  await unpack(await decrypt(file.createReadStream({ start: 0, autoClose: false }), options.opener), { begin, visit })
  for (const link of links) await writeEntry(target, link)
  const { createdAt, head, release } = checked.manifest
  const act = { id: randomBytes(16).toString('hex'), at: wallTime(), stage: 'restored' as const, createdAt, head, release }
  await addHostAct(join(aside, stateRoot), act)
  const acts = join(aside, stateRoot, hostActsFile)
  const owner = target.ownerOf?.({ type: 'directory', path: acts, mode: 0, uid: 0, gid: 0, mtime: new Date(wallMs()) })
  if (owner !== undefined) await lchown(acts, owner.uid, owner.gid)
  await finishDirectories(target, directories)
}

/** What freezes the unit comes first, and without the last there is no state. */
const inOrder = (names: readonly string[]): string[] => {
  const rank = (name: string): number => (name === hostActsFile ? 0 : name === stateFiles.state ? 2 : 1)
  return names.toSorted((a, b) => rank(a) - rank(b))
}

/**
 * Into a volume: the name of what is half done stays until everything else has its own, and for good where that fails,
 * since no unit starts beside it.
 */
const moveUp = async (from: string, stateDir: string): Promise<void> => {
  for (const name of inOrder(await readdir(from))) await rename(join(from, name), join(stateDir, name))
  await syncPath(stateDir)
  await rmdir(from)
}

const check = async ({ file, opener, masterKeyFile }: RestoreOptions): Promise<Checked> => {
  if (!(await stat(file)).isFile())
    throw new Refusal(exits.configuration, { detail: `${file}: expected a plain file, since it is read twice` })
  await using handle = await open(file, 'r')
  return await checkArchive({ read: () => handle.createReadStream({ start: 0, autoClose: false }), opener, masterKeyFile })
}

const fill = async (options: RestoreOptions, checked: Checked, place: Place): Promise<void> => {
  const { stateDir } = options
  const { aside, inside } = place
  let moving = false
  try {
    await mkdir(aside, { mode: 0o700 })
    await writeAside(options, checked, place)
    moving = inside
    if (inside) await moveUp(join(aside, stateRoot), stateDir)
    else {
      // Fails where something has come into it meanwhile.
      if ((await ifPresent(stat(stateDir))) !== undefined) await rmdir(stateDir)
      await rename(join(aside, stateRoot), stateDir)
    }
    await rm(aside, { recursive: true, force: true })
    await syncPath(dirname(aside))
  } catch (error) {
    if (!moving) await rm(aside, { recursive: true, force: true })
    throw error
  }
}

export const restore = async (options: RestoreOptions): Promise<Checked> => {
  const { stateDir } = options
  await refuseFull(stateDir)
  const checked = await check(options)
  const place = await placeAside(stateDir)
  await refuseWithoutRoom(dirname(place.aside), checked.bytes)
  if (!place.inside) await fill(options, checked, place)
  else
    await whileRoots(stateDir, async () => {
      await refuseFilled(stateDir)
      await fill(options, checked, place)
    })
  return checked
}
