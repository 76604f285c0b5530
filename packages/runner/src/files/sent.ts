// The files that an agent sends with a message: each opened and looked at before any is read, and read as it was then or not at all.
import type { FileHandle } from 'node:fs/promises'
import { type AgentGroupID, FilePlace, isServiceError, limits, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import { reach } from '../groups/plain.ts'
import type { Attached } from '../queue/copies.ts'
import { placeOf } from './place.ts'
import { lookAt, readPiece } from './read.ts'
import { refusing } from './refusal.ts'

export interface Sending {
  readonly stateDir: string
  readonly agentGroupID: AgentGroupID
  /** As the agent named them: below /workspace or /memory. */
  readonly paths: readonly string[]
}

const hints: Readonly<Record<string, string>> = {
  'not-found': 'name a file that is there; nothing was sent',
  conflict: 'nothing was sent: write the file anew under another name and send that, or send it again if it was being written',
  'too-large': `nothing was sent: a file may have ${limits.file} bytes, all of a message ${limits.sentBytes}`,
}

/** For the agent, which can act on it; `index`: which of its files it is. */
const named = async <T>(path: string, index: number, act: () => Promise<T>): Promise<T> => {
  try {
    return await refusing(path, act)
  } catch (error) {
    if (!isServiceError(error) || !Object.hasOwn(hints, error.code)) throw error
    const { code, detail } = error
    throw new ServiceError(code, { detail, hint: hints[code], errors: [{ pointer: `/files/${index}`, detail }], cause: error })
  }
}

interface Seen {
  readonly path: string
  readonly index: number
}

const attach = async (file: FileHandle, { path, index }: Seen): Promise<Attached> => {
  const look = await lookAt(file, path)
  const pieces = async function* (): AsyncGenerator<Buffer> {
    for (let offset = 0; offset < look.size; offset += limits.filePart)
      yield await named(path, index, () => readPiece(file, look, { path, offset, length: limits.filePart }))
  }
  return { name: path.split('/').at(-1) ?? '', path, size: look.size, pieces }
}

const checkTogether = (files: readonly Attached[]): void => {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes <= limits.sentBytes) return
  throw new ServiceError('too-large', {
    detail: `expected at most ${limits.sentBytes} bytes in all files of a message, got ${bytes}`,
    hint: 'nothing was sent: send them with more messages',
  })
}

/** `act` gets them all while they are open. */
export const withSentFiles = async <T>(sending: Sending, act: (files: readonly Attached[]) => Promise<T>): Promise<T> => {
  const opened: FileHandle[] = []
  const openOne = async (path: string, index: number): Promise<Attached> => {
    const [, place = '', ...names] = path.split('/')
    const file = await reach(placeOf(sending, { ...sending, place: v.parse(FilePlace, place) }), names)
    opened.push(file)
    return attach(file, { path, index })
  }
  try {
    const files: Attached[] = []
    for (const [index, path] of sending.paths.entries()) files.push(await named(path, index, () => openOne(path, index)))
    checkTogether(files)
    return await act(files)
  } finally {
    for (const file of opened) await file.close()
  }
}
