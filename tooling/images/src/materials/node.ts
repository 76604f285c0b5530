// The pinned Node of an architecture: that of this checkout, or out of its npm package; always compared with the known checksum.
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hashFile, nodeChecksums } from '@gatehouse/engine'
import { execa } from 'execa'
import { extract } from 'tar'
import * as v from 'valibot'
import { type Architecture, architectures, hostArchitecture } from '../architecture.ts'

const Packed = v.tupleWithRest([v.object({ filename: v.string() })], v.unknown())

/** Into `cache`, by npm, whose settings say which registry. */
const fetchPackage = async (name: string, cache: string): Promise<string> => {
  const folder = join(cache, name.replace('@', '-'))
  const file = join(folder, 'package/bin/node')
  if (existsSync(file)) return file
  await mkdir(folder, { recursive: true })
  const { stdout } = await execa('npm', ['pack', '--json', '--pack-destination', folder, name], { stderr: 'ignore' })
  const [{ filename }] = v.parse(Packed, JSON.parse(stdout))
  await extract({ file: join(folder, filename), cwd: folder })
  return file
}

export interface PinnedNode {
  readonly file: string
  readonly version: string
}

export const pinnedNode = async (architecture: Architecture, cache: string): Promise<PinnedNode> => {
  const version = process.versions.node
  const { node } = architectures[architecture]
  const file = architecture === hostArchitecture() ? process.execPath : await fetchPackage(`node-linux-${node}@${version}`, cache)
  const [expected, found] = [nodeChecksums[version]?.[node], await hashFile(file)]
  if (found !== expected) throw new Error(`${file}: expected Node ${version} for ${architecture} with checksum ${expected}, got ${found}`)
  return { file, version }
}
