// Reads the built console into memory once, so that no request ever names a path of this machine.
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

export interface Asset {
  readonly body: Uint8Array<ArrayBuffer>
  readonly type: string
  readonly cache: 'no-store' | 'no-cache' | 'public, max-age=31536000, immutable'
}

/** By path below /ui/, with `/` between names. */
export type Console = ReadonlyMap<string, Asset>

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

/** A name that the build made from the content. */
const hashed = /^assets\/.+-[\w-]{8}\.\w+$/

const cacheOf = (path: string): Asset['cache'] => {
  if (path.endsWith('.html')) return 'no-store'
  return hashed.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache'
}

/** Plain files of known types alone: no links, no maps of sources. Empty when the directory is not there. */
export const loadConsole = async (directory: string): Promise<Console> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const files = entries.filter((entry) => entry.isFile() && extname(entry.name) in types)
  const assets = await Promise.all(
    files.map(async ({ parentPath, name }): Promise<[string, Asset]> => {
      const path = relative(directory, join(parentPath, name)).replaceAll(sep, '/')
      const body = new Uint8Array(await readFile(join(parentPath, name)))
      return [path, { body, type: types[extname(name)] ?? 'application/octet-stream', cache: cacheOf(path) }]
    }),
  )
  return new Map(assets)
}
