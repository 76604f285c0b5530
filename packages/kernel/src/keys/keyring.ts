// The on-disk format of the keyring: the master key of each epoch, newest last.
import { jsonBounds } from '@gatehouse/contracts'
import * as v from 'valibot'
import { jsonText } from '../json/parse-json.ts'

const Hex = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits'))

const Epochs = v.pipe(
  v.array(v.strictObject({ epoch: v.number(), key: Hex })),
  v.minLength(1),
  v.check((epochs) => epochs.every(({ epoch }, index) => epoch === index + 1), 'expected consecutive epochs from 1'),
)
const Keyring = v.strictObject({ epochs: Epochs })

export interface Epoch {
  readonly epoch: number
  /** 32 bytes. */
  readonly key: Buffer
}

/** Parses a keyring, or a bare key of 64 hex digits as epoch 1. Undefined for anything else. */
export const parseKeyring = (text: string): readonly [Epoch, ...Epoch[]] | undefined => {
  const bare = v.safeParse(Hex, text.trim())
  if (bare.success) return [{ epoch: 1, key: Buffer.from(bare.output, 'hex') }]
  const parsed = v.safeParse(v.pipe(jsonText(jsonBounds.stateFile), Keyring), text)
  if (!parsed.success) return undefined
  const [first, ...rest] = parsed.output.epochs.map(({ epoch, key }) => ({ epoch, key: Buffer.from(key, 'hex') }))
  return first === undefined ? undefined : [first, ...rest]
}

export const formatKeyring = (epochs: readonly Epoch[]): string =>
  `${JSON.stringify({ epochs: epochs.map(({ epoch, key }) => ({ epoch, key: key.toString('hex') })) }, null, 2)}\n`
