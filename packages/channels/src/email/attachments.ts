// Files as they hang on a letter: never shown within it, and of a kind that a program of the receiver does not run by itself.
import { limits } from '@gatehouse/contracts'
import type { OutgoingFile } from '../channel.ts'
import { plainName } from '../file-name.ts'

/** By the end of the name. What is not here is bytes. */
const types: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
  webp: 'image/webp',
}

const typeOf = (name: string): string => {
  const end = /\.([a-z]{1,8})$/.exec(name.toLowerCase())?.[1] ?? ''
  return Object.hasOwn(types, end) ? (types[end] ?? '') : 'application/octet-stream'
}

export const attachmentsOf = (files: readonly OutgoingFile[]) =>
  files.map(({ name, bytes }) => {
    // Programs decode what a name only seems to hold, such as `=?utf-8?q?…?=`: so it holds letters, digits and few signs.
    const filename = plainName(name, limits.channelFileName) || 'file'
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    return {
      filename,
      content,
      contentType: typeOf(filename),
      contentDisposition: 'attachment' as const,
      contentTransferEncoding: 'base64' as const,
    }
  })
