// Loads the built console into memory at startup and serves files from there, so that no request accesses the file system.
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import { ifPresent } from '@gatehouse/kernel'

export interface Asset {
  readonly body: Uint8Array<ArrayBuffer>
  readonly type: string
  readonly cache: 'no-store' | 'no-cache' | 'public, max-age=31536000, immutable'
}

/** By path relative to /ui/, with `/` as separator. */
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

/** File names that contain a content hash. */
const hashed = /^assets\/.+-[\w-]{8}\.\w+$/

const cacheOf = (path: string): Asset['cache'] => {
  if (path.endsWith('.html')) return 'no-store'
  return hashed.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache'
}

/** Only loads regular files of known types, without links and source maps. Empty if the directory does not exist. */
export const loadConsole = async (directory: string): Promise<Console> => {
  const entries = (await ifPresent(readdir(directory, { recursive: true, withFileTypes: true }))) ?? []
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

/** Finds the file for a path below /ui/: the file itself, or index.html for a page of the console. */
const climbs = /(?:^|[/\\])\.{1,2}(?:[/\\]|$)|[\\\u0000%]/

/** Has a file extension. */
const changeID = /^chg_\d+\.\d+$/

/** `path` is decoded and has no leading slash. Undefined if there is no such file. */
export const findAsset = (files: Console, path: string): Asset | undefined => {
  if (climbs.test(path)) throw new ServiceError('malformed', { detail: 'the path leaves /ui/' })
  const name = path.slice(path.lastIndexOf('/') + 1)
  const isPage = !name.includes('.') || changeID.test(name)
  return files.get(path) ?? (isPage ? files.get('index.html') : undefined)
}

/** Content security policy of the console: only its own scripts and requests to this origin. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

export const consoleHeaders = (asset: Asset): Record<string, string> => ({
  'Content-Type': asset.type,
  'Cache-Control': asset.cache,
  'Content-Security-Policy': policy,
})
