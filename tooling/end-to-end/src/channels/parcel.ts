// Files that an agent is told to send, and what it is told: they go in pieces, and hold every byte.
import { randomBytes } from 'node:crypto'
import type { Unit } from '../unit.ts'
import { waitFor } from '../wait-for.ts'

export interface Parcel {
  readonly name: string
  readonly bytes: Buffer
}

/** Longer than one piece of it on its way. */
export const makeParcel = (name: string): Parcel => ({
  name,
  bytes: Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), randomBytes(1_100_000)]),
})

const folder = 'out'
const patience = 60_000

/** Resolves with what to say to the mock agent: then it says `text`, sends these files, and answers `sent`. */
export const layParcels = async (
  { client }: Pick<Unit, 'client'>,
  { text, parcels }: { readonly text: string; readonly parcels: readonly Parcel[] },
): Promise<string> => {
  for (const { name, bytes } of parcels) {
    const put = () => client.files.put('dev-agent', { path: `${folder}/${name}`, bytes: Uint8Array.from(bytes) })
    // Whoever was killed before may not be back yet.
    await waitFor(`${name} to be laid there`, patience, put)
  }
  const files = parcels.map(({ name }) => `/workspace/${folder}/${name}`)
  return `tool:send_message ${JSON.stringify({ text, files })}`
}
