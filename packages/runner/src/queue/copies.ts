// Files that go with a message: what is told of them lasts as long as the message, their copies until its channel has taken it.
import { SentFile } from '@gatehouse/contracts'
import type { Rows, Transaction } from '@gatehouse/store'
import * as v from 'valibot'

export interface Attached extends SentFile {
  /** All of it, in order; rejects where it is not what was looked at. */
  readonly pieces: () => AsyncIterable<Buffer>
}

export interface Attachment {
  readonly files: readonly Attached[]
  /** A conversation that no channel leads to needs none: whoever reads it fetches the file itself. */
  readonly areCopied: boolean
}

/** In the transaction that keeps the message, so that nothing is half kept. */
export const keepFiles = async (tx: Transaction, seq: number, { files, areCopied }: Attachment): Promise<void> => {
  for (const [number, { name, path, size, pieces }] of files.entries()) {
    await tx.run('INSERT INTO sent_files (seq, number, name, path, size) VALUES (?, ?, ?, ?, ?)', [seq, number, name, path, size])
    if (!areCopied) continue
    let part = 0
    for await (const data of pieces()) {
      await tx.run('INSERT INTO copies (seq, number, part, data) VALUES (?, ?, ?, ?)', [seq, number, part, data])
      part += 1
    }
  }
}

/** Whether there were any. */
export const dropCopies = async (tx: Transaction, seq: number): Promise<boolean> =>
  (await tx.run('DELETE FROM copies WHERE seq <= ?', [seq])).changes > 0

/** Of messages that are no more. */
export const forgetFiles = async (tx: Transaction): Promise<void> => {
  for (const table of ['sent_files', 'copies']) await tx.run(`DELETE FROM ${table} WHERE seq NOT IN (SELECT seq FROM messages)`)
}

const Numbered = v.object({ ...SentFile.entries, seq: v.number() })

/** By the number of their message. */
export const filesIn = async (
  rows: Rows,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<ReadonlyMap<number, SentFile[]>> => {
  const found = await rows.all('SELECT seq, name, path, size FROM sent_files WHERE seq BETWEEN ? AND ? ORDER BY seq, number', [first, last])
  const files = new Map<number, SentFile[]>()
  for (const { seq, ...file } of v.parse(v.array(Numbered), found)) files.set(seq, [...(files.get(seq) ?? []), file])
  return files
}

export interface Piece {
  readonly seq: number
  readonly file: number
  readonly part: number
}

export const readPiece = async (rows: Rows, { seq, file, part }: Piece): Promise<Buffer | undefined> =>
  (await rows.get<{ data: Buffer }>('SELECT data FROM copies WHERE seq = ? AND number = ? AND part = ?', [seq, file, part]))?.data
