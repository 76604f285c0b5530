// What makes a catalog entry the server that it is: where it runs or lies, not what it is given to know.
import type { CatalogEntry, Digest, LocalEntry } from '@gatehouse/contracts'
import { canonical, digestOf, sha256 } from '@gatehouse/kernel'
import type { Secrets } from '../secrets/secrets.ts'

type Identity = Readonly<Record<string, unknown>>

/** Another image of the same name, or other files of the host, make another server. */
const given = ({ imageID, volumes = [], data = false }: LocalEntry): Identity => ({
  ...(imageID === undefined ? {} : { imageID }),
  ...(volumes.length === 0 ? {} : { volumes }),
  ...(data ? { data } : {}),
})

export const identityOf = (entry: CatalogEntry): Identity => {
  if (entry.transport === 'http') return { transport: entry.transport, url: entry.url }
  const image = entry.image === undefined || entry.image === '' ? {} : { image: entry.image }
  return { transport: entry.transport, command: entry.command, args: entry.args, ...image, ...given(entry) }
}

export const digestOfEntry = (entry: CatalogEntry): Digest => digestOf(identityOf(entry))

/** Without the key nobody can try values against it. */
export const tagOfEntry = (secrets: Pick<Secrets, 'hmac'>, name: string, entry: CatalogEntry): Digest =>
  sha256(secrets.hmac(`catalog entry ${canonical({ name, entry })}`))
