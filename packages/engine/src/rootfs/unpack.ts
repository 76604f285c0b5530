// Exports an image of a container engine to a root file system, for drivers without images.
import { chmod, lstat, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import { findProgram } from '@gatehouse/kernel'
import { execa } from 'execa'
import { callEngine, clientEnvironment } from '../container-client/client.ts'
import { findNamedImage } from '../container-client/images.ts'
import { directories } from './layout.ts'

const engines = ['docker', 'podman', 'nerdctl'] as const

interface Found {
  readonly file: string
  readonly id: string
}

const findIn = async (image: string): Promise<Found> => {
  const reasons: string[] = []
  for (const name of engines) {
    const file = await findProgram(name)
    if (file === null) continue
    try {
      return { file, id: await findNamedImage({ file, global: [] }, image) }
    } catch (error) {
      reasons.push(error instanceof ServiceError ? error.detail : String(error))
    }
  }
  throw new ServiceError('no-sandbox', {
    detail: `no container engine of this host has the image ${image}: ${reasons.join('; ') || `none of ${engines.join(', ')} is installed`}`,
    hint: 'install one and load the image, or unset SERVICE_SANDBOX_IMAGE',
  })
}

const extract = async ({ file, id }: Found, target: string): Promise<void> => {
  const client = { file, global: [] }
  const created = await callEngine(client, ['create', '--network', 'none', id, '/bin/node'])
  const container = created.stdout.trim()
  if (!created.ok || container === '') throw new ServiceError('no-sandbox', { detail: `cannot read the image: ${created.stderr}` })
  try {
    const options = { env: clientEnvironment, buffer: false, reject: false, cwd: '/' } as const
    const made = await execa(file, ['export', container], { ...options, encoding: 'buffer' }).pipe(
      'tar',
      ['--extract', '--no-same-owner', '--directory', target],
      options,
    )
    if (made.failed) throw new ServiceError('no-sandbox', { detail: `cannot unpack the image: ${made.shortMessage}` })
  } finally {
    await callEngine(client, ['rm', '--force', container])
  }
}

/** A link at a mount point would redirect the mount. */
const checkPlaces = async (root: string): Promise<void> => {
  for (const { path } of directories) {
    const parts = path.split('/')
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const at = join(root, ...parts.slice(0, depth))
      const found = await lstat(at).catch(() => null)
      if (found === null) await mkdir(at, { mode: 0o755 })
      else if (!found.isDirectory()) throw new ServiceError('no-sandbox', { detail: `/${path} of the image is not a directory` })
    }
  }
  for (const path of ['bin/node', 'agent/agent.mjs', 'agent/probe.mjs', 'agent/load.mjs']) {
    if ((await lstat(join(root, path)).catch(() => null))?.isFile() !== true) {
      throw new ServiceError('no-sandbox', {
        detail: `the image has no file /${path}`,
        hint: 'build it from this release',
      })
    }
  }
}

/** Resolves to the path of the root file system, which is created once per content. */
export const unpackImage = async (image: string, home: string): Promise<string> => {
  const found = await findIn(image)
  const target = join(home, 'images', found.id.replace(/^sha256:/, ''))
  if ((await lstat(target).catch(() => null)) !== null) return target
  await mkdir(join(home, 'images'), { recursive: true, mode: 0o711 })
  const fresh = await mkdtemp(`${target}.new-`)
  try {
    await extract(found, fresh)
    // A new directory is private, but sandboxes run with other host ids.
    await chmod(fresh, 0o755)
    await checkPlaces(fresh)
    await rename(fresh, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
    return target
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}
