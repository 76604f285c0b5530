// A cluster of one node, in namespaces that open-cluster.ts made for it. Says its images' digests on stdout when it is ready, and lives
// until stdin ends:  node main.ts SETTINGS.json
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { serveRegistry } from '@gatehouse/images/registry'
import { buildControlPlane, buildProgramImage } from '@gatehouse/images/trial'
import { issueCertificates } from './certificates.ts'
import { startControlPlane } from './control-plane.ts'
import { openNetwork, writeNetwork } from './network.ts'
import { startNode } from './node.ts'
import { registryHost, type Settings } from './place.ts'
import { openPrograms } from './processes.ts'
import { startRuntime } from './runtime.ts'
import { buildWalls } from './walls.ts'

const SettingsFile = v.strictObject({ directory: v.string(), programs: v.string(), cgroup: v.string() })

const serveImages = async ({ directory, programs }: Settings) => {
  const registry = await serveRegistry()
  const pause = await registry.add(await buildProgramImage(join(directory, 'pause'), join(programs, 'pause')))
  const unit = await registry.add(await buildControlPlane(join(directory, 'images')))
  return { unit, images: { registry: registry.address, pause: `${registryHost}/pause@${pause}` } }
}

process.stdin.resume().once('end', () => process.exit(0))
const settings = v.parse(SettingsFile, JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')))
await buildWalls(settings.directory)
await openNetwork()
await issueCertificates(settings)
await writeNetwork(settings)
const { unit, images } = await serveImages(settings)
const programs = await openPrograms(settings.directory)
await startRuntime(settings, programs, images)
await startControlPlane(settings, programs)
await startNode(settings, programs)
process.stdout.write(`${JSON.stringify({ unit })}\n`)
await programs.ended
