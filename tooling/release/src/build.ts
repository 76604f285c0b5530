// Makes a release in one folder: tarball, install script, checksums, signature.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hashFile, nodeChecksums } from '@gatehouse/engine'
import * as v from 'valibot'
import { checksumsOf } from './checksums.ts'
import { contentsOf, type Sources } from './contents.ts'
import { pack } from './pack.ts'
import { sbomOf } from './sbom.ts'
import { readSigningKey, signText } from './sign.ts'

export interface BuildOptions extends Sources {
  /** Folder that gets the files; made if absent. */
  readonly out: string
  readonly version: string
  readonly architecture: 'x64' | 'arm64'
  /** PEM of the key that signs; null: somebody else signs the list. */
  readonly signingKey: string | null
  readonly level?: number | undefined
}

const Stamp = v.object({ digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)) })

const checkNode = async (node: string, architecture: BuildOptions['architecture']): Promise<void> => {
  const found = await hashFile(node)
  const known = Object.values(nodeChecksums).map((release) => release[architecture])
  if (known.includes(found)) return
  throw new Error(`expected the pinned Node of ${architecture} with a checksum that is committed, got ${found} at ${node}`)
}

/** Names of what was made. */
export const buildRelease = async (options: BuildOptions): Promise<readonly string[]> => {
  const { out, version, architecture, checkout, dist, node, signingKey, level = 6 } = options
  const key = signingKey === null ? undefined : readSigningKey(signingKey)
  await checkNode(node, architecture)
  const { digest } = v.parse(v.pipe(v.string(), v.parseJson(), Stamp), await readFile(join(dist, 'rootfs.stamp'), 'utf8'))
  await mkdir(out, { recursive: true })
  const name = `gatehouse-v${version}-linux-${architecture}`
  const tarball = `${name}.tar.gz`
  const entries = await contentsOf({ checkout, dist, node }, digest)
  const parts = `${name}.cdx.json`
  await writeFile(join(out, parts), await sbomOf(entries, { dist, version }))
  await pack(entries, { target: join(out, tarball), prefix: name, level })
  await copyFile(join(checkout, 'deploy/host/install.sh'), join(out, 'install.sh'))
  const sums = await checksumsOf(out, [tarball, parts, 'install.sh'])
  await writeFile(join(out, 'SHA256SUMS'), sums)
  if (key !== undefined) await writeFile(join(out, 'SHA256SUMS.sig'), signText(sums, key))
  return [tarball, parts, 'install.sh', 'SHA256SUMS', ...(key === undefined ? [] : ['SHA256SUMS.sig'])]
}
