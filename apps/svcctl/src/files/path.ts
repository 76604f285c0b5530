// Paths as people write them, as an agent sees them: /workspace/…, /memory/…, or below the workspace.
import { type FilePlace, filePlaces, ServiceError } from '@gatehouse/contracts'

export interface Located {
  readonly place: FilePlace
  readonly path: string
}

/** A name may be written with a slash behind it. */
export const locate = (written: string): Located => {
  const trimmed = written.replace(/\/+$/, '').replace(/^\.\//, '')
  if (!trimmed.startsWith('/')) return { place: 'workspace', path: trimmed === '.' ? '' : trimmed }
  const [, first = '', ...rest] = trimmed.split('/')
  const place = filePlaces.find((name) => name === first)
  if (place !== undefined) return { place, path: rest.join('/') }
  throw new ServiceError('invalid', {
    detail: 'expected a path below /workspace or /memory, as the agent sees it, got another',
    hint: 'such as /workspace/report.md, or report.md for the same',
  })
}

export const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
