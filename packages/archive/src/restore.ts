// Restores an archive into an empty state directory: verifies it completely, writes to a working directory, then renames.
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
  ownerHint,
  type Owner,
  ownerToReturn,
  refuseLocked,
  type Target,
  withRootOnly,
  workingNameFor,
  writeEntry,
} from './in-place.ts'
import { stateRoot } from './manifest.ts'
import { unpack } from './unpack.ts'

export interface RestoreOptions {
  /** Path of the archive, a regular file, because it is read twice. */
  readonly file: string
  readonly opener: Opener
  readonly stateDir: string
  readonly masterKeyFile: string | null
}

const summarize = (names: readonly string[]): string => `${names.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''}`

const listOther = async (stateDir: string): Promise<string[]> => (await readdir(stateDir)).filter((name) => name !== lostAndFound)

const refuseNonEmpty = async (stateDir: string): Promise<void> => {
  const stats = await ifPresent(stat(stateDir))
  if (stats === undefined) return
  const names = stats.isDirectory() ? await listOther(stateDir) : [basename(stateDir)]
  if (names.length === 0) return refuseLocked(stateDir, stats)
  throw new Refusal(exits.configuration, {
    detail: `${stateDir} is not empty: it contains ${summarize(names)}`,
    hint:
      ownerHint(stateDir, stats, names) ?? `nothing was written; stop the unit and move ${stateDir} away, or choose another --state-dir`,
  })
}

/** Checks again after only root can access the directory, so that nothing can appear afterwards. */
const refuseNoLongerEmpty = async (stateDir: string): Promise<void> => {
  const names = await listOther(stateDir)
  if (names.length === 0) return
  throw new Refusal(exits.configuration, {
    detail: `${stateDir} did not stay empty while the archive was verified: it contains ${summarize(names)}`,
    hint: 'nothing was written; stop the program that writes there, empty the directory, and restore again',
  })
}

interface Destination {
  /** The working directory. */
  readonly workingDirectory: string
  readonly inside: boolean
  /** Owner of the state directory, where it exists. */
  readonly owner: Owner | undefined
}

/** Beside the state directory, or inside it if it is a volume or its parent is not writable. */
const chooseWorkingDirectory = async (stateDir: string): Promise<Destination> => {
  const stats = await ifPresent(stat(stateDir))
  const parent = dirname(stateDir)
  const beside = join(parent, workingNameFor(undefined))
  if (stats === undefined) {
    await makeDirectory(parent, 0o755)
    return { workingDirectory: beside, inside: false, owner: undefined }
  }
  const owner = { uid: stats.uid, gid: stats.gid }
  const isEmpty = (await readdir(stateDir)).length === 0
  const canRename = await access(parent, constants.W_OK).then(
    async () => (await stat(parent)).dev === stats.dev,
    () => false,
  )
  if (canRename && isEmpty) return { workingDirectory: beside, inside: false, owner }
  return { workingDirectory: join(stateDir, workingNameFor(ownerToReturn(stats))), inside: true, owner }
}

const refuseWithoutSpace = async (directory: string, bytes: number): Promise<void> => {
  const { bavail, bsize } = await statfs(directory)
  if (bavail * bsize > bytes * 1.05) return
  throw new Refusal(exits.configuration, {
    detail: `not enough disk space at ${directory}: ${bytes} bytes needed, ${bavail * bsize} free`,
    hint: 'nothing was written; free disk space, or choose another --state-dir',
  })
}

/** The owner of everything except agent files: the owner of the state directory, unless that is root. */
const getUnitOwner = ({ manifest }: Checked, { owner }: Destination): Owner => {
  if (owner !== undefined && owner.uid !== 0) return owner
  return manifest.unit ?? (manifest.owners ? { uid: 0, gid: 0 } : { uid: sandboxUid, gid: sandboxUid })
}

/** Agent files keep their owners where those are significant. Files of root belong to the unit, which was root, perhaps in a user namespace. */
const getOwners = (checked: Checked, destination: Destination): Target['ownerOf'] => {
  if (process.getuid?.() !== 0) return undefined
  const unit = getUnitOwner(checked, destination)
  const isAgents = ({ path }: Entry): boolean => checked.manifest.owners && /^state\/groups\/[^/]+\/./s.test(path)
  return (entry) => (isAgents(entry) ? { uid: entry.uid || unit.uid, gid: entry.gid || unit.gid } : unit)
}

const writeWorkingDirectory = async (options: RestoreOptions, checked: Checked, destination: Destination): Promise<void> => {
  const { workingDirectory } = destination
  const target: Target = { directory: workingDirectory, ownerOf: getOwners(checked, destination) }
  const directories: Entry[] = []
  const links: LinkEntry[] = []
  const visit = async (entry: Entry): Promise<void> => {
    if (entry.type === 'link') links.push(entry)
    else await writeEntry(target, entry)
    if (entry.type === 'directory') directories.push(entry)
  }
  const begin = async ({ installation, createdAt }: Checked['manifest']): Promise<void> => {
    if (installation !== checked.manifest.installation || createdAt !== checked.manifest.createdAt)
      throw broken('it changed during the restore')
  }
  await using file = await open(options.file, 'r')
  await unpack(await decrypt(file.createReadStream({ start: 0, autoClose: false }), options.opener), { begin, visit })
  for (const link of links) await writeEntry(target, link)
  const { createdAt, head, release } = checked.manifest
  const act = { id: randomBytes(16).toString('hex'), at: wallTime(), stage: 'restored' as const, createdAt, head, release }
  await addHostAct(join(workingDirectory, stateRoot), act)
  const acts = join(workingDirectory, stateRoot, hostActsFile)
  const owner = target.ownerOf?.({ type: 'directory', path: acts, mode: 0, uid: 0, gid: 0, mtime: new Date(wallMs()) })
  if (owner !== undefined) await lchown(acts, owner.uid, owner.gid)
  await finishDirectories(target, directories)
}

/** The file that freezes the unit comes first, and the one without which there is no state comes last. */
const inOrder = (names: readonly string[]): string[] => {
  const rank = (name: string): number => (name === hostActsFile ? 0 : name === stateFiles.state ? 2 : 1)
  return names.toSorted((a, b) => rank(a) - rank(b))
}

/**
 * Moves the restored state into a volume. The working directory remains until everything is moved, and also if that fails, because no
 * unit starts while it exists.
 */
const moveUp = async (from: string, stateDir: string): Promise<void> => {
  for (const name of inOrder(await readdir(from))) await rename(join(from, name), join(stateDir, name))
  await syncPath(stateDir)
  await rmdir(from)
}

const check = async ({ file, opener, masterKeyFile }: RestoreOptions): Promise<Checked> => {
  if (!(await stat(file)).isFile())
    throw new Refusal(exits.configuration, { detail: `${file}: not a regular file; an archive is read twice` })
  await using handle = await open(file, 'r')
  return await checkArchive({ read: () => handle.createReadStream({ start: 0, autoClose: false }), opener, masterKeyFile })
}

const fill = async (options: RestoreOptions, checked: Checked, destination: Destination): Promise<void> => {
  const { stateDir } = options
  const { workingDirectory, inside } = destination
  let moving = false
  try {
    await mkdir(workingDirectory, { mode: 0o700 })
    await writeWorkingDirectory(options, checked, destination)
    moving = inside
    if (inside) await moveUp(join(workingDirectory, stateRoot), stateDir)
    else {
      // Fails if the directory is no longer empty.
      if ((await ifPresent(stat(stateDir))) !== undefined) await rmdir(stateDir)
      await rename(join(workingDirectory, stateRoot), stateDir)
    }
    await rm(workingDirectory, { recursive: true, force: true })
    await syncPath(dirname(workingDirectory))
  } catch (error) {
    if (!moving) await rm(workingDirectory, { recursive: true, force: true })
    throw error
  }
}

export const restore = async (options: RestoreOptions): Promise<Checked> => {
  const { stateDir } = options
  await refuseNonEmpty(stateDir)
  const checked = await check(options)
  const destination = await chooseWorkingDirectory(stateDir)
  await refuseWithoutSpace(dirname(destination.workingDirectory), checked.bytes)
  if (!destination.inside) await fill(options, checked, destination)
  else
    await withRootOnly(stateDir, async () => {
      await refuseNoLongerEmpty(stateDir)
      await fill(options, checked, destination)
    })
  return checked
}
