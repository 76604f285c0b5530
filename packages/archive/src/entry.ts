// The entries of an archive: directories, files and links, which are never followed. Also the refusal of an invalid archive.
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

interface Common {
  /** A relative path with `/`, without `.` and `..`. */
  readonly path: string
  /** Permission bits. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly mtime: Date
}

export interface DirectoryEntry extends Common {
  readonly type: 'directory'
}

export interface FileEntry extends Common {
  readonly type: 'file'
  readonly size: number
  /** Exactly `size` bytes. */
  readonly body: AsyncIterable<Uint8Array>
}

export interface LinkEntry extends Common {
  readonly type: 'link'
  readonly target: string
}

export type Entry = DirectoryEntry | FileEntry | LinkEntry

const defaultHint = 'nothing was written; use another backup of this unit'

export const broken = (reason: string, hint = defaultHint, cause?: unknown): Refusal =>
  new Refusal(exits.configuration, { detail: `the archive was not restored: ${reason}`, hint, cause })
