// Which file answers a path below /ui/: itself, or index.html for a page that the console draws.
import { ServiceError } from '@gatehouse/contracts'
import type { Asset, Console } from './load.ts'

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
