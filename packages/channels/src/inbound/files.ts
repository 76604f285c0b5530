// Stores the files of a message in the workspace of the group, each completely or not at all, and adds a line about each to the message.
import { createHash } from 'node:crypto'
import { type AgentGroupID, isServiceError, limits, NewFilePath, type runnerChannels } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import * as v from 'valibot'
import type { Inbound, InboundFile } from '../channel.ts'
import { plainName } from '../file-name.ts'

/** Start times of file failures, by the message's folder. The message is delivered again until the timeout is over. */
export class HoldTimeout {
  readonly #since = new Map<string, number>()

  /** Records another failure. True when the timeout is over. */
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
  /** Maximum size of the workspace in MiB. */
  readonly workspaceMiB: number
  /** Directory inside the workspace. */
  readonly folder: string
  readonly patience: HoldTimeout
  readonly log: Logger
}

/** Deterministic, so that a redelivered message overwrites its own files. */
export const folderOf = (channel: string, id: string): string =>
  `inbox/${channel}-${createHash('sha256').update(id).digest('hex').slice(0, 16)}`

/** A plain file name, unique within the message. */
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

const transientCodes = new Set(['unavailable', 'deadline', 'internal', 'queue-full'])

/** Returns a line for the agent. Throws transient errors, so that the message is delivered again. */
const takeOne = async (place: FilePlace, file: InboundFile, name: string): Promise<string> => {
  const shown = JSON.stringify(name)
  const tooLarge = `[file ${shown} was not stored: larger than ${limits.file / 1024 / 1024} MiB]`
  if ((file.size ?? 0) > limits.file) return tooLarge
  const path = `${place.folder}/${name}`
  try {
    const bytes = await file.read()
    if (bytes.length > limits.file) return tooLarge
    await put(place, path, bytes)
    return `[file ${JSON.stringify(path)}, ${bytes.length} bytes]`
  } catch (error) {
    if (!isServiceError(error) || transientCodes.has(error.code)) throw error
    return `[file ${shown} was not stored: ${error.code === 'too-large' ? 'the workspace is full' : 'the workspace refused it'}]`
  }
}

/** Returns a line about each file. Rejects if the files may be available when the message is delivered again. */
export const takeFiles = async (place: FilePlace, { files }: Inbound): Promise<string[]> => {
  const lines: string[] = []
  try {
    for (const [index, file] of files.slice(0, limits.channelFiles).entries()) lines.push(await takeOne(place, file, nameOf(file, index)))
  } catch (error) {
    if (!place.patience.isOver(place.folder)) throw error
    place.log.debug('message delivered without its files', { agentGroupID: place.agentGroupID, error })
    return [
      ...lines,
      `[${files.length - lines.length} of the files were not stored: they could not be downloaded, or the workspace was unavailable]`,
    ]
  }
  const more = files.length - limits.channelFiles
  return more > 0 ? [...lines, `[${more} more files were not stored: a message can have at most ${limits.channelFiles}]`] : lines
}
