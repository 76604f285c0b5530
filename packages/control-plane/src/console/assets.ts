// Loads the built console into memory at the start and looks files up there, so no request names a path of this machine.
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import { ifPresent } from '@gatehouse/kernel'

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

/** Which file answers a path below /ui/: itself, or index.html for a page that the console draws. */
const climbs = /(?:^|[/\\])\.{1,2}(?:[/\\]|$)|[\\\u0000%]/

/** Has a point in it and is no file. */
const changeID = /^chg_\d+\.\d+$/

/** `path` is decoded and has no leading slash; undefined when there is no such file. */
export const findAsset = (files: Console, path: string): Asset | undefined => {
  if (climbs.test(path)) throw new ServiceError('malformed', { detail: 'expected a path below /ui/, got one that climbs' })
  const name = path.slice(path.lastIndexOf('/') + 1)
  const isPage = !name.includes('.') || changeID.test(name)
  return files.get(path) ?? (isPage ? files.get('index.html') : undefined)
}

/** What a browser may do with a file of the console: run its own scripts, ask this site, and nothing else. */
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
