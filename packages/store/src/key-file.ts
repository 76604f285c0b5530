// The file that holds the key of one database, sealed under a key of the installation and bound to what it is for.
import { jsonBounds } from '@gatehouse/contracts'
import { parseJson } from '@gatehouse/kernel'
import * as v from 'valibot'
import { openSealedKey, sealKey } from './seal.ts'

const KeyFile = v.strictObject({
  sealed: v.string(),
  /** The database was completed under this key: from then on a missing one is a loss, not a beginning. */
  made: v.boolean(),
})

export interface FileKey {
  readonly key: Buffer
  readonly made: boolean
}

/** Throws for altered text, another context and another wrapping key. */
export const openKeyFile = (wrapping: Buffer, context: string, text: string): FileKey => {
  const file = v.parse(KeyFile, parseJson(text, jsonBounds.stateFile))
  return { key: openSealedKey(wrapping, context, file.sealed), made: file.made }
}

export const sealKeyFile = (wrapping: Buffer, context: string, { key, made }: FileKey): string =>
  `${JSON.stringify({ sealed: sealKey(wrapping, context, key), made })}\n`
