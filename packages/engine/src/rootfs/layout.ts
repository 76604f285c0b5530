// The files of the root file system besides programs, and the stamp with its inputs and digest.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { jsonBounds, ServiceError } from '@gatehouse/contracts'
import { findProgram, parseJson, programPath } from '@gatehouse/kernel'
import { execa } from 'execa'
import * as v from 'valibot'
import { renderOci } from '../seccomp/filter.ts'

/** Incremented when the assembly changes. */
export const layoutVersion = 2

export const directories = [
  { path: 'dev', mode: 0o755 },
  { path: 'etc', mode: 0o755 },
  { path: 'memory', mode: 0o755 },
  { path: 'mnt', mode: 0o755 },
  { path: 'packages', mode: 0o755 },
  { path: 'proc', mode: 0o755 },
  { path: 'run/gatehouse/model', mode: 0o755 },
  { path: 'run/gatehouse/session', mode: 0o755 },
  { path: 'run/gatehouse/tools', mode: 0o755 },
  { path: 'shared', mode: 0o755 },
  { path: 'sys', mode: 0o755 },
  { path: 'tmp', mode: 0o1777 },
  { path: 'workspace', mode: 0o755 },
] as const

export const texts = [
  { path: 'etc/group', text: 'agent:x:65532:\n' },
  { path: 'etc/nsswitch.conf', text: 'passwd: files\ngroup: files\nhosts: files\n' },
  { path: 'etc/passwd', text: 'agent:x:65532:65532:agent:/workspace:/sbin/nologin\n' },
] as const

/** `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x…)` or `/lib64/ld-linux-x86-64.so.2 (0x…)`. */
const line = /^\s*(?:\S+ => )?(\/\S+) \(0x[0-9a-f]+\)$/

/** Runs `ldd`, which may run the programs: only for known ones. Resolves to sorted absolute paths on the host; empty for static programs. */
export const sharedObjects = async (programs: readonly string[]): Promise<string[]> => {
  const ldd = await findProgram('ldd')
  if (ldd === null) throw new ServiceError('no-sandbox', { detail: 'no program ldd', hint: 'install libc-bin' })
  const { stdout, stderr, exitCode } = await execa(ldd, [...programs], { reject: false, env: { PATH: programPath }, extendEnv: false })
  if (exitCode !== 0) {
    if (`${stdout}${stderr}`.includes('not a dynamic executable') || stdout.includes('statically linked')) return []
    throw new ServiceError('no-sandbox', { detail: `${ldd} ${programs.join(' ')} exited with ${exitCode}: ${stderr || stdout}` })
  }
  if (stdout.includes('not found')) {
    throw new ServiceError('no-sandbox', {
      detail: `shared objects of ${programs.join(' ')} are missing: ${stdout}`,
      hint: 'install libstdc++6 and libgcc-s1',
    })
  }
  return [...new Set(stdout.split('\n').flatMap((text) => line.exec(text)?.[1] ?? []))].toSorted()
}

/** Lower-case hex SHA-256. */
export const hashFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest('hex')
}

/** Lower-case hex SHA-256 of a tree, which must contain only directories and regular files. */
export const digestDirectory = async (root: string): Promise<string> => {
  const hash = createHash('sha256')
  const names = (await readdir(root, { recursive: true })).toSorted()
  for (const name of names) {
    const path = join(root, name)
    const stat = await lstat(path)
    if (!stat.isFile() && !stat.isDirectory()) throw new TypeError(`${name} in ${root} is neither a file nor a directory`)
    const content = stat.isFile() ? await hashFile(path) : 'directory'
    hash.update(`${JSON.stringify(name)} ${(stat.mode & 0o7777).toString(8)} ${content}\n`)
  }
  return hash.digest('hex')
}

/** gVisor has no `clone3`. Old releases report it as forbidden instead of unknown if it is filtered, so it is allowed there. */
export const profilePath = (target: string, { gvisor }: { readonly gvisor: boolean }): string =>
  `${target}.${gvisor ? 'gvisor' : 'seccomp'}.json`

export const writeProfiles = async (target: string): Promise<void> => {
  const write = (gvisor: boolean, rendering: object): Promise<void> =>
    writeFile(profilePath(target, { gvisor }), `${JSON.stringify(rendering)}\n`, { mode: 0o644 })
  await write(false, renderOci())
  await write(true, renderOci({ passed: ['clone3'] }))
}

/** The file beside an assembled root file system with its inputs and digest. */
const Stamp = v.strictObject({ inputs: v.string(), digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)) })
export type Stamp = v.InferOutput<typeof Stamp>

const stampPath = (target: string): string => `${target}.stamp`

/** A digest of the inputs. Large files are identified by inode and time, so that they are not read twice. */
export const describeInputs = async (inputs: readonly { readonly source: string; readonly target: string }[]): Promise<string> => {
  const hash = createHash('sha256').update(`layout ${layoutVersion}\n`)
  for (const { source, target } of inputs) {
    const { dev, ino, size, mtimeNs } = await stat(source, { bigint: true })
    hash.update(`${JSON.stringify([source, target])} ${dev} ${ino} ${size} ${mtimeNs}\n`)
  }
  return hash.digest('hex')
}

/** The stamp, or null where it is missing or invalid. */
export const readStamp = async (target: string): Promise<Stamp | null> => {
  try {
    const parsed = v.safeParse(Stamp, parseJson(await readFile(stampPath(target)), jsonBounds.stateFile))
    return parsed.success ? parsed.output : null
  } catch {
    return null
  }
}

export const writeStamp = (target: string, stamp: Stamp): Promise<void> =>
  writeFile(stampPath(target), `${JSON.stringify(stamp)}\n`, { mode: 0o644 })
