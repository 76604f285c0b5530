// Puts the files of a message into the workspace of the group, each whole or not at all, and says in the message what became of them.
import { createHash } from 'node:crypto'
import { type AgentGroupID, isServiceError, limits, NewFilePath, type runnerChannels } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import * as v from 'valibot'
import type { Inbound, InboundFile } from '../channel.ts'
import { plainName } from '../file-name.ts'

/** Since when files could not be had, by the folder of their message. The message comes again until it has waited for long enough. */
export class Patience {
  readonly #since = new Map<string, number>()

  /** They could not be had this time either. */
  isOver(folder: string): boolean {
    const now = performance.now()
    const since = this.#since.get(folder) ?? now
    this.#since.set(folder, since)
    for (const [oldest] of this.#since) {
      if (this.#since.size <= limits.rateKeys) break
      this.#since.delete(oldest)
    }
    return now - since > limits.channelHold
  }
}

export interface FilePlace {
  readonly runner: Pick<Calls<typeof runnerChannels>, 'fileBegin' | 'filePart' | 'fileEnd' | 'fileDrop'>
  readonly agentGroupID: AgentGroupID
  /** MiB that the workspace may hold. */
  readonly workspaceMiB: number
  /** Directory below the workspace. */
  readonly folder: string
  readonly patience: Patience
  readonly log: Logger
}

/** The same message leaves its files in the same place again. */
export const folderOf = (channel: string, id: string): string =>
  `inbox/${channel}-${createHash('sha256').update(id).digest('hex').slice(0, 16)}`

/** A name that hides nothing and leads nowhere else. */
const nameOf = ({ name }: InboundFile, index: number): string => {
  const plain = plainName(name, 100)
  const unique = plain === '' ? `file-${index + 1}` : index === 0 ? plain : `${index + 1}-${plain}`
  return v.is(NewFilePath, unique) ? unique : `file-${index + 1}`
}

const put = async ({ runner, agentGroupID, workspaceMiB }: FilePlace, path: string, bytes: Uint8Array): Promise<void> => {
  const { upload } = await runner.fileBegin({ agentGroupID, place: 'workspace', path })
  try {
    for (let at = 0; at < bytes.length; at += limits.filePart) {
      await runner.filePart({ upload, data: Buffer.from(bytes.subarray(at, at + limits.filePart)).toString('base64') })
    }
    await runner.fileEnd({ upload, most: workspaceMiB })
  } catch (error) {
    await runner.fileDrop({ upload }).catch(() => undefined)
    throw error
  }
}

const passing = new Set(['unavailable', 'deadline', 'internal', 'queue-full'])

/** A line for the agent. What may pass is thrown, so that the message comes again. */
const takeOne = async (place: FilePlace, file: InboundFile, name: string): Promise<string> => {
  const shown = JSON.stringify(name)
  const tooLarge = `[file ${shown} was not taken: over ${limits.file / 1024 / 1024} MiB]`
  if ((file.size ?? 0) > limits.file) return tooLarge
  const path = `${place.folder}/${name}`
  try {
    const bytes = await file.read()
    if (bytes.length > limits.file) return tooLarge
    await put(place, path, bytes)
    return `[file ${JSON.stringify(path)}, ${bytes.length} bytes]`
  } catch (error) {
    if (!isServiceError(error) || passing.has(error.code)) throw error
    return `[file ${shown} was not taken: ${error.code === 'too-large' ? 'no room in the workspace' : 'it cannot be put there'}]`
  }
}

/** Lines that say what came with the message. Rejects where its files may be had when it comes again. */
export const takeFiles = async (place: FilePlace, { files }: Inbound): Promise<string[]> => {
  const lines: string[] = []
  try {
    for (const [index, file] of files.slice(0, limits.channelFiles).entries()) lines.push(await takeOne(place, file, nameOf(file, index)))
  } catch (error) {
    if (!place.patience.isOver(place.folder)) throw error
    place.log.debug('a message of a channel goes on without its files', { agentGroupID: place.agentGroupID, error })
    return [
      ...lines,
      `[${files.length - lines.length} of the files were not taken: they could not be fetched, or the workspace not be reached]`,
    ]
  }
  const more = files.length - limits.channelFiles
  return more > 0 ? [...lines, `[${more} more files were not taken: at most ${limits.channelFiles} come with a message]`] : lines
}
